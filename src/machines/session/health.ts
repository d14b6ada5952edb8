import type { Session } from '#protocol/session.ts';
import type { Health } from '#protocol/session-listing.ts';
import type { ChangeCounts, WorktreeState } from '#protocol/worktree.ts';

/** A git lock older than this was left by a killed process. */
const OLD_LOCK_MS = 60_000;

const red = (reason: string): Health => ({ colour: 'red', reason });
const amber = (reason: string): Health => ({ colour: 'amber', reason });
const GREEN: Health = { colour: 'green', reason: 'clean' };

const counted = (count: number, what: string): readonly string[] => (count === 0 ? [] : [`${count} ${what}`]);

const changesText = ({ staged, unstaged, untracked }: ChangeCounts): string =>
  [...counted(staged, 'staged'), ...counted(unstaged, 'changed'), ...counted(untracked, 'untracked')].join(', ');

type There = Extract<WorktreeState, { readonly kind: 'there' }>;

function redIn(session: Session, state: There): string | null {
  const { operation, changes, locks, lockedByOthers, branch, head, isWritable } = state;
  const old = locks.find(({ ageMs }) => ageMs >= OLD_LOCK_MS);
  if (lockedByOthers !== null) return `the worktree is locked${lockedByOthers === '' ? '' : `: ${lockedByOthers}`}`;
  if (old !== undefined) return `a killed git process left the lock file ${old.file}`;
  if (!isWritable) return 'the worktree is read-only';
  if (operation !== null) return `a ${operation} is in progress`;
  if (changes.conflicted > 0)
    return `${changes.conflicted} ${changes.conflicted === 1 ? 'file is' : 'files are'} in conflict`;
  if (branch === null) return 'HEAD is detached';
  if (branch === session.branch && head === null) return `the branch "${branch}" is gone`;
  return branch === session.branch ? null : `"${branch}" is checked out instead of "${session.branch}"`;
}

const IS_WORKED_ON: ReadonlySet<Session['state']> = new Set([
  ...(['running', 'creating', 'merging', 'updating', 'holding', 'discarding'] as const),
]);

function amberIn({ state }: Session, { changes, behind }: There): string | null {
  if (IS_WORKED_ON.has(state)) return 'working';
  const uncommitted = changesText(changes);
  if (uncommitted !== '') return `uncommitted: ${uncommitted}`;
  return behind === null || behind === 0
    ? null
    : `stale: the base is ${behind} ${behind === 1 ? 'commit' : 'commits'} ahead`;
}

/** States in which a session has a worktree. If it is missing then, somebody removed it. */
const HAS_WORKTREE: ReadonlySet<Session['state']> = new Set([
  ...(['running', 'ready', 'merging', 'updating', 'held'] as const),
]);

/** Returns the health of a session's worktree. A recent git lock is not a problem: git may be writing at the moment. */
export function healthOf(session: Session, worktree: WorktreeState): Health {
  const { state, why } = session;
  if (state === 'failed' || state === 'halted') return red(why === null ? state : `${state}: ${why}`);
  if (worktree.kind === 'corrupt') return red(`git can't read the worktree: ${worktree.message}`);
  if (worktree.kind === 'missing') {
    if (session.worktree === null || !HAS_WORKTREE.has(state)) return GREEN;
    return state === 'held' ? amber('held without its worktree') : red(`${session.worktree} is missing`);
  }
  if (worktree.kind === 'silent') return amber(`unknown: git did not answer within ${worktree.afterMs / 1000} s`);
  const alarm = redIn(session, worktree);
  if (alarm !== null) return red(alarm);
  const hint = amberIn(session, worktree);
  return hint === null ? GREEN : amber(hint);
}
