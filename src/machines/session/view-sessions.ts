import { type SessionPaths, type DirectClash, findClashes } from '#logic/queue/find-clashes.ts';
import { escapeGlob } from '#logic/queue/glob-pattern.ts';
import { inQueueOrder, planQueue, type QueuePlace } from '#logic/queue/plan-queue.ts';
import type { SessionId } from '#protocol/id.ts';
import { BASE_SIDE, type PairSemantics } from '#protocol/semantic-clash.ts';
import {
  hasEnded,
  type Overlap,
  type PairConflict,
  type QueueSignal,
  type Session,
  type SessionName,
  type SessionState,
  type SessionView,
} from '#protocol/session.ts';

const isLive = (session: Session): boolean => !hasEnded(session);

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

const pairKey = ([a, b]: readonly [SessionId, SessionId]): string => [a, b].sort().join(' ');

/** The results of the comparisons of the sessions' work so far. */
interface ComparedWork {
  /** The pairs of sessions whose work conflicts; null if unknown. */
  readonly conflicts?: readonly PairConflict[] | null;
  readonly semantics?: readonly PairSemantics[];
  /** The sessions whose base has commits that their work lacks. */
  readonly behind?: ReadonlySet<SessionId>;
  /** The sessions with work whose changes cancel each other out, in addition to those with changed files. */
  readonly atWork?: ReadonlySet<SessionId>;
  /** False if the work of a session could not be read or compared: then no session is free of clashes. */
  readonly isWhole?: boolean;
}

const NONE: ReadonlySet<SessionId> = new Set();

/** Returns each session with its overlaps, queue signal and position in the queue, in the given order. */
export function viewSessions(
  sessions: readonly Session[],
  { maxParallel, foldCase }: { readonly maxParallel: number; readonly foldCase: boolean },
  { conflicts = null, semantics = [], behind = NONE, atWork: others = NONE, isWhole: isAll = true }: ComparedWork = {},
): readonly SessionView[] {
  const clashes = findClashes(sessionPaths(sessions), foldCase);
  const pairs = new Set(clashes.flatMap(({ sessions: [a, b] }) => [`${a} ${b}`, `${b} ${a}`]));
  const places = planQueue(sessions, { maxParallel, clash: (a, b) => pairs.has(`${a} ${b}`) });
  const nameOf = nameFinder(sessions);
  const live = new Set(sessions.filter(isLive).map(({ id }) => id));
  const lasting = conflicts?.filter(({ sessions: [a, b] }) => live.has(a) && (b === BASE_SIDE || live.has(b))) ?? null;
  const waiting = sessions.filter(({ state }) => state === 'queued').sort(inQueueOrder);
  const compared = new Set([...semantics, ...(lasting ?? [])].map(({ sessions: pair }) => pairKey(pair)));
  const hasWork = (session: Session): boolean =>
    isLive(session) && session.base !== null && (session.changed.length > 0 || others.has(session.id));
  const atWork = sessions.filter(hasWork);
  const isWhole = (session: Session): boolean =>
    isAll &&
    (!hasWork(session) ||
      (atWork.every(({ id }) => id === session.id || compared.has(pairKey([id, session.id]))) &&
        (!behind.has(session.id) || compared.has(pairKey([session.id, BASE_SIDE])))));
  return sessions.map((session) => {
    const own = clashesOf(session.id, clashes, nameOf);
    const met = conflictsOf(session, lasting, nameOf);
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
  { id, baseBranch }: Session,
  conflicts: readonly PairConflict[] | null,
  nameOf: NameOf,
): SessionView['conflicts'] =>
  conflicts?.flatMap(({ sessions: [a, b], files, hunks }) => {
    if (a !== id && b !== id) return [];
    const second = b === BASE_SIDE ? { id: b, title: baseBranch } : nameOf(b);
    return [{ with: a === id ? second : nameOf(a), files, hunks: named(hunks, nameOf(a), second) }];
  }) ?? null;

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
