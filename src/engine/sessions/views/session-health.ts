import { after } from '#io/clock/long-timeout.ts';
import { wallClock } from '#io/clock/clock.ts';
import { createGit, type Git } from '#io/git/plumbing/git.ts';
import type { ReadStatus } from '#io/git/plumbing/read-status.ts';
import type { StatusReader } from '#io/git/plumbing/read-statuses.ts';
import { processes } from '#io/process/process.ts';
import { inspectWorktree, type OnStatus, type TipOf } from '#io/git/worktrees/inspect-worktree.ts';
import { healthOf } from '#machines/session/health.ts';
import { messageOf } from '#protocol/message-of.ts';
import type { Session } from '#protocol/session.ts';
import type { Health } from '#protocol/session-listing.ts';
import type { WorktreeState } from '#protocol/worktree.ts';
import { limitConcurrency } from '#protocol/limit-concurrency.ts';

const AT_ONCE = 4;

interface HealthQuestion {
  readonly git?: Git;
  /** The time limit of one worktree; a slower one is reported as silent, so that it does not delay the others. */
  readonly limitMs: number;
  /** The commits of base branches, looked up once for all sessions. */
  readonly tipOf?: TipOf;
  /** Reads the status of all worktrees together. */
  readonly statusOf?: StatusReader;
  /** Called with each worktree's status; null if it did not answer in time. */
  readonly onStatus?: (worktree: string, status: ReadStatus | null) => void;
}

/** Inspects a folder within a time limit. A call on a hanging disk can't be cancelled, and is left running. */
async function inspectWithin(
  session: Session,
  { git = createGit(processes), limitMs, onStatus, tipOf, statusOf }: HealthQuestion,
): Promise<WorktreeState> {
  const { worktree, baseBranch: base } = session;
  if (worktree === null) return { kind: 'missing' };
  const over = new AbortController();
  const late = Promise.withResolvers<WorktreeState>();
  const stop = after(limitMs, () => {
    over.abort();
    onStatus?.(worktree, null);
    late.resolve({ kind: 'silent', afterMs: limitMs });
  });
  const limited: Git = (directory, args, options) => git(directory, args, { ...options, signal: over.signal });
  const inTime: OnStatus = (at, status) => {
    if (!over.signal.aborted) onStatus?.(at, status);
  };
  const looked = inspectWorktree(
    limited,
    worktree,
    {
      base,
      now: wallClock.now(),
      ...(tipOf === undefined ? {} : { tipOf }),
      ...(statusOf === undefined ? {} : { statusOf }),
    },
    inTime,
  ).catch((thrown: unknown): WorktreeState => ({ kind: 'corrupt', message: messageOf(thrown) }));
  try {
    return await Promise.race([late.promise, looked]);
  } finally {
    stop();
  }
}

/** Returns the health of each session, in order. Changes nothing. */
export const healthOfAll = (sessions: readonly Session[], question: HealthQuestion): Promise<readonly Health[]> =>
  limitConcurrency(sessions, AT_ONCE, async (session) => healthOf(session, await inspectWithin(session, question)));
