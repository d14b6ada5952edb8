import { type SessionPaths, type DirectClash, findClashes } from '../queue/find-clashes.ts';
import { escapeGlob } from '../queue/glob-pattern.ts';
import { inQueueOrder, planQueue, type QueuePlace } from '../queue/plan-queue.ts';
import type { SessionId } from '#protocol/id.ts';
import { BASE_SIDE, type PairSemantics } from '#protocol/semantic-clash.ts';
import type {
  Overlap,
  PairConflict,
  QueueSignal,
  Session,
  SessionName,
  SessionState,
  SessionView,
} from '#protocol/session.ts';

const isLive = ({ state }: Session): boolean => state !== 'merged' && state !== 'discarded';

/** Returns the claims of unfinished sessions: the files that they plan to change or have changed. */
export const sessionPaths = (sessions: readonly Session[]): readonly SessionPaths[] =>
  sessions
    .filter(isLive)
    .map(({ id, plan, changed }) => ({ session: id, paths: [...new Set([...plan, ...changed.map(escapeGlob)])] }));

const SIGNAL: Readonly<Record<SessionState, QueueSignal>> = {
  draft: 'draft',
  queued: 'queued',
  creating: 'running',
  running: 'running',
  halted: 'halted',
  ready: 'complete',
  merging: 'running',
  updating: 'running',
  holding: 'running',
  merged: 'complete',
  held: 'held',
  discarding: 'running',
  discarded: 'complete',
  failed: 'halted',
};

interface Compared {
  readonly isClash: boolean;
  readonly isSemanticClash: boolean;
  /** True if the session's work was compared with the work of every other session, and with a base that has moved. */
  readonly isWhole: boolean;
}

const overlapOf = (session: Session, { isClash, isSemanticClash, isWhole }: Compared): Overlap => {
  if (isClash) return 'Clash';
  if (isSemanticClash) return 'Clash (semantic)';
  return isLive(session) && session.plan.length + session.changed.length > 0 && isWhole ? 'Clear' : 'Unchecked';
};

/** Returns whether a session has changes that can conflict with those of other sessions. */
const hasWork = (session: Session): boolean => isLive(session) && session.base !== null && session.changed.length > 0;

const pairKey = ([a, b]: readonly [SessionId, SessionId]): string => [a, b].sort().join(' ');

/** The results of the comparisons of the sessions' work so far. */
interface ComparedWork {
  /** The pairs of sessions whose work conflicts; null if unknown. */
  readonly conflicts?: readonly PairConflict[] | null;
  readonly semantics?: readonly PairSemantics[];
  /** The sessions whose base has commits that their work lacks. */
  readonly behind?: ReadonlySet<SessionId>;
}

const NONE: ReadonlySet<SessionId> = new Set();

/** Returns each session with its overlaps, queue signal and position in the queue, in the given order. */
export function viewSessions(
  sessions: readonly Session[],
  { maxParallel, foldCase }: { readonly maxParallel: number; readonly foldCase: boolean },
  { conflicts = null, semantics = [], behind = NONE }: ComparedWork = {},
): readonly SessionView[] {
  const clashes = findClashes(sessionPaths(sessions), foldCase);
  const pairs = new Set(clashes.flatMap(({ sessions: [a, b] }) => [`${a} ${b}`, `${b} ${a}`]));
  const places = planQueue(sessions, { maxParallel, clash: (a, b) => pairs.has(`${a} ${b}`) });
  const nameOf = nameFinder(sessions);
  const live = new Set(sessions.filter(isLive).map(({ id }) => id));
  const lasting = conflicts?.filter(({ sessions: [a, b] }) => live.has(a) && live.has(b)) ?? null;
  const waiting = sessions.filter(({ state }) => state === 'queued').sort(inQueueOrder);
  const compared = new Set([...semantics, ...(lasting ?? [])].map(({ sessions: pair }) => pairKey(pair)));
  const atWork = sessions.filter(hasWork);
  const isWhole = (session: Session): boolean =>
    !hasWork(session) ||
    (atWork.every(({ id }) => id === session.id || compared.has(pairKey([id, session.id]))) &&
      (!behind.has(session.id) || compared.has(pairKey([session.id, BASE_SIDE]))));
  return sessions.map((session) => {
    const own = clashesOf(session.id, clashes, nameOf);
    const met = conflictsOf(session.id, lasting, nameOf);
    const semantic = semanticsOf(session, semantics, nameOf);
    return {
      session,
      overlap: overlapOf(session, {
        isClash: own.length > 0 || (met ?? []).length > 0,
        isSemanticClash: semantic.length > 0,
        isWhole: isWhole(session),
      }),
      clashes: own,
      conflicts: met,
      semantics: semantic,
      queue: SIGNAL[session.state],
      order: orderOf(session, waiting),
      waits: waitsOf(places.get(session.id), nameOf),
    };
  });
}

type NameOf = (id: SessionId) => SessionName;

const nameFinder = (sessions: readonly Session[]): NameOf => {
  const titles = new Map(sessions.map(({ id, title }) => [id, title]));
  return (id) => ({ id, title: titles.get(id) ?? '(unknown)' });
};

const clashesOf = (id: SessionId, clashes: readonly DirectClash[], nameOf: NameOf): SessionView['clashes'] =>
  clashes.flatMap(({ sessions: [a, b], files }) => {
    if (a !== id && b !== id) return [];
    return [{ with: nameOf(a === id ? b : a), files }];
  });

const conflictsOf = (
  id: SessionId,
  conflicts: readonly PairConflict[] | null,
  nameOf: NameOf,
): SessionView['conflicts'] =>
  conflicts?.flatMap(({ sessions: [a, b], files, hunks }) =>
    a === id || b === id ? [{ with: nameOf(a === id ? b : a), files, hunks: named(hunks, nameOf(a), nameOf(b)) }] : [],
  ) ?? null;

const semanticsOf = (
  { id, baseBranch }: Session,
  semantics: readonly PairSemantics[],
  nameOf: NameOf,
): SessionView['semantics'] =>
  semantics.flatMap(({ sessions: [a, b], clashes }) => {
    if ((a !== id && b !== id) || clashes.length === 0) return [];
    const other = a === id ? b : a;
    return [{ with: other === BASE_SIDE ? { id: other, title: baseBranch } : nameOf(other), clashes }];
  });

/** Replaces the commits in git's conflict markers by the titles of the sessions. */
const named = (hunks: PairConflict['hunks'], ours: SessionName, theirs: SessionName): PairConflict['hunks'] =>
  hunks.map((hunk) => ({
    ...hunk,
    text: hunk.text
      .replace(/^(<{7,}) [^\r\n]*/, (_line, marker: string) => `${marker} ${ours.title}`)
      .replace(/(\n>{7,}) [^\r\n]*$/, (_line, marker: string) => `${marker} ${theirs.title}`),
  }));

function orderOf(session: Session, waiting: readonly Session[]): string | null {
  const at = waiting.indexOf(session);
  if (at === -1) return null;
  return session.priority === null ? `FIFO #${String(at + 1)}` : `P:${String(session.priority)}`;
}

const waitsOf = (place: QueuePlace | undefined, nameOf: NameOf): SessionView['waits'] =>
  place?.kind === 'waits' ? { why: place.why, for: place.for.map(nameOf) } : null;
