import type { SessionId } from '#protocol/id.ts';
import type { Session, SessionState } from '#protocol/session.ts';
import { jobInTurn } from './job-in-turn.ts';

export type QueuedSession = Pick<
  Session,
  'id' | 'state' | 'priority' | 'submission' | 'after' | 'base' | 'job' | 'resolving'
>;

/** What happens to a waiting session now. */
export type QueuePlace =
  | { readonly kind: 'starts' }
  /** `for` lists the sessions that it waits for. */
  | { readonly kind: 'waits'; readonly why: 'dependency' | 'clash' | 'slot'; readonly for: readonly SessionId[] }
  /** The dependencies can no longer be merged. */
  | { readonly kind: 'dependency_lost'; readonly lost: readonly SessionId[] };

interface QueueRules {
  readonly maxParallel: number;
  readonly clash: (one: SessionId, other: SessionId) => boolean;
}

const IS_UNDER_WAY: ReadonlySet<SessionState> = new Set(['creating', 'running']);

/** Returns whether a session takes one of the `maxParallel` slots. A session that a person works in takes none. */
const takesSlot = (session: QueuedSession): boolean => jobInTurn(session) !== null && IS_UNDER_WAY.has(session.state);

/** States in which a session keeps its claim to files until it is merged or discarded. */
const KEEPS_CLAIM: ReadonlySet<SessionState> = new Set([
  ...(['creating', 'running', 'halted', 'ready', 'merging', 'updating', 'holding', 'held'] as const),
  ...(['discarding', 'failed'] as const),
]);

const keepsClaim = ({ state, base }: QueuedSession): boolean =>
  KEEPS_CLAIM.has(state) && (base !== null || IS_UNDER_WAY.has(state));

const submissionOf = ({ submission }: QueuedSession): number => submission ?? Number.POSITIVE_INFINITY;

/** Compares by priority (1 first, none last), then by submission. */
export const inQueueOrder = (one: QueuedSession, other: QueuedSession): number =>
  (one.priority ?? Number.POSITIVE_INFINITY) - (other.priority ?? Number.POSITIVE_INFINITY) ||
  submissionOf(one) - submissionOf(other) ||
  0;

/**
 * Decides which sessions start now, and what the others wait for, in queue order. Depends on its arguments only. 1. A
 * session that clashes with a claim waits for it. 2. No session overtakes an earlier one that clashes with it and has
 * no unmet dependency, so that no session waits forever. A session that was started before and waits to continue counts
 * as earlier: its changes exist. A session that waits for a queued dependency blocks no other session; otherwise the
 * dependency could wait for its own dependent. 3. At most `maxParallel` sessions run; one that a person works in takes
 * no slot.
 */
export function planQueue(
  sessions: readonly QueuedSession[],
  { maxParallel, clash }: QueueRules,
): ReadonlyMap<SessionId, QueuePlace> {
  const byId = new Map(sessions.map((session) => [session.id, session]));
  const bySubmission = [...sessions].sort(compareSubmitted);
  const waiting = bySubmission.filter(({ state }) => state === 'queued');
  const unmet = (session: QueuedSession) => session.after.filter((id) => byId.get(id)?.state !== 'merged');
  const lost = (session: QueuedSession) => session.after.filter((id) => isLost(byId.get(id)));
  const free = waiting.filter((session) => unmet(session).length === 0).sort(compareClaims);
  const claimed = new Set(sessions.filter(keepsClaim).map(({ id }) => id));
  const isInQueue = (id: SessionId): boolean => byId.get(id)?.state === 'queued' && !claimed.has(id);
  const isStayed = (session: QueuedSession): boolean => {
    const needed = unmet(session);
    return session.base !== null && needed.length > 0 && !needed.some(isInQueue);
  };
  let slots = maxParallel - sessions.filter(takesSlot).length;

  const place = (session: QueuedSession): QueuePlace => {
    const gone = lost(session);
    if (gone.length > 0) return { kind: 'dependency_lost', lost: gone };
    const needed = unmet(session);
    if (needed.length > 0) return { kind: 'waits', why: 'dependency', for: needed };
    const earlier = new Set(free.slice(0, free.indexOf(session)).map(({ id }) => id));
    const stayed = new Set(waiting.filter(isStayed).map(({ id }) => id));
    const inTheWay = bySubmission
      .map(({ id }) => id)
      .filter((id) => (claimed.has(id) || earlier.has(id) || stayed.has(id)) && clash(id, session.id));
    if (inTheWay.length > 0) return { kind: 'waits', why: 'clash', for: inTheWay };
    const runs = jobInTurn(session) !== null;
    if (runs && slots <= 0) return { kind: 'waits', why: 'slot', for: [] };
    if (runs) slots -= 1;
    claimed.add(session.id);
    return { kind: 'starts' };
  };
  return new Map([...waiting].sort(inQueueOrder).map((session) => [session.id, place(session)]));
}

const compareSubmitted = (one: QueuedSession, other: QueuedSession): number => submissionOf(one) - submissionOf(other);

/**
 * Orders sessions by their right to files: sessions that were started before come first, because their changes exist;
 * then by submission.
 */
const compareClaims = (one: QueuedSession, other: QueuedSession): number =>
  Number(other.base !== null) - Number(one.base !== null) || compareSubmitted(one, other);

const isLost = (session: QueuedSession | undefined): boolean => session === undefined || session.state === 'discarded';
