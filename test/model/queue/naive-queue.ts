import type { SessionState } from '../../../src/protocol/session.ts';

/** A session as the naive queue sees it: its files are letters. */
export interface Naive {
  readonly id: string;
  state: SessionState;
  priority: number | null;
  submission: number | null;
  after: readonly string[];
  readonly files: string;
  /** A person works in it. */
  readonly byHand: boolean;
  /** It has a branch: it was started once. */
  isMade: boolean;
}

const shares = (one: Naive, other: Naive): boolean => [...one.files].some((file) => other.files.includes(file));

const isFree = (session: Naive, all: readonly Naive[]): boolean =>
  session.after.every((id) => all.find((one) => one.id === id)?.state === 'merged');

/** It waits for others, and none of these waits in the queue. */
const isStayed = (session: Naive, all: readonly Naive[]): boolean =>
  session.state === 'queued' &&
  !isFree(session, all) &&
  session.after.every((id) => all.find((one) => one.id === id)?.state !== 'queued');

const holdsFiles = (session: Naive, all: readonly Naive[]): boolean =>
  session.isMade && (isStayed(session, all) || !['draft', 'queued', 'merged', 'discarded'].includes(session.state));

const before = (one: Naive, other: Naive): boolean => (one.submission ?? 0) < (other.submission ?? 0);

/** What one that was started before has changed is its own, whoever was submitted first. */
const goesBefore = (one: Naive, other: Naive): boolean =>
  one.isMade === other.isMade ? before(one, other) : one.isMade;

/** May it start, when nothing else changes? Straight from spec/worktrees.md "Queue", one session at a time. */
function mayStart(session: Naive, all: readonly Naive[], maxParallel: number): boolean {
  if (session.state !== 'queued' || !isFree(session, all)) return false;
  if (all.some((other) => other !== session && holdsFiles(other, all) && shares(other, session))) return false;
  const overtaken = all.filter((other) => other.state === 'queued' && goesBefore(other, session) && isFree(other, all));
  if (overtaken.some((other) => shares(other, session))) return false;
  const running = all.filter(({ state, byHand }) => !byHand && (state === 'creating' || state === 'running'));
  return session.byHand || running.length < maxParallel;
}

/** The next to start, by the highest priority and then the oldest submission; null: nobody may. */
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

/** Who is halted, since what it waits for will never be merged. */
export const orphans = (all: readonly Naive[]): readonly Naive[] =>
  all.filter(
    ({ state, after }) =>
      state === 'queued' && after.some((id) => all.find((one) => one.id === id)?.state === 'discarded'),
  );
