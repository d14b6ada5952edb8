import type { SessionState } from '../../../src/protocol/session.ts';

/** A session in the naive queue. Each letter of `files` stands for a file. */
export interface Naive {
  readonly id: string;
  state: SessionState;
  priority: number | null;
  submission: number | null;
  after: readonly string[];
  readonly files: string;
  /** True if a person works in the session. */
  readonly byHand: boolean;
  /** True if the session has a branch, because it was started before. */
  isMade: boolean;
}

const shares = (one: Naive, other: Naive): boolean => [...one.files].some((file) => other.files.includes(file));

const isFree = (session: Naive, all: readonly Naive[]): boolean =>
  session.after.every((id) => all.find((one) => one.id === id)?.state === 'merged');

/** Returns whether a session waits for other sessions and none of these is queued. */
const isStayed = (session: Naive, all: readonly Naive[]): boolean =>
  session.state === 'queued' &&
  !isFree(session, all) &&
  session.after.every((id) => all.find((one) => one.id === id)?.state !== 'queued');

const holdsFiles = (session: Naive, all: readonly Naive[]): boolean =>
  session.isMade && (isStayed(session, all) || !['draft', 'queued', 'merged', 'discarded'].includes(session.state));

const before = (one: Naive, other: Naive): boolean => (one.submission ?? 0) < (other.submission ?? 0);

/**
 * Returns whether one session precedes another. A session that was started before keeps its precedence, regardless of
 * the order of submission.
 */
const goesBefore = (one: Naive, other: Naive): boolean =>
  one.isMade === other.isMade ? before(one, other) : one.isMade;

/**
 * Returns whether a session may start if nothing else changes. This is the rule of the queue, applied to one session at
 * a time.
 */
function mayStart(session: Naive, all: readonly Naive[], maxParallel: number): boolean {
  if (session.state !== 'queued' || !isFree(session, all)) return false;
  if (all.some((other) => other !== session && holdsFiles(other, all) && shares(other, session))) return false;
  const overtaken = all.filter((other) => other.state === 'queued' && goesBefore(other, session) && isFree(other, all));
  if (overtaken.some((other) => shares(other, session))) return false;
  const running = all.filter(({ state, byHand }) => !byHand && (state === 'creating' || state === 'running'));
  return session.byHand || running.length < maxParallel;
}

/** Returns the next session to start, by highest priority and then oldest submission, or null if none may start. */
export function nextToStart(all: readonly Naive[], maxParallel: number): Naive | null {
  let best: Naive | null = null;
  for (const session of all) {
    if (!mayStart(session, all, maxParallel)) continue;
    const first = best?.priority ?? 1_000;
    const mine = session.priority ?? 1_000;
    if (best === null || mine < first || (mine === first && before(session, best))) best = session;
  }
  return best;
}

/** Returns the sessions that must be halted because a session that they wait for will never be merged. */
export const orphans = (all: readonly Naive[]): readonly Naive[] =>
  all.filter(
    ({ state, after }) =>
      state === 'queued' && after.some((id) => all.find((one) => one.id === id)?.state === 'discarded'),
  );
