import type { WorkFound, WorkKind } from '#protocol/worktree.ts';
import type { Git } from '../plumbing/git.ts';
import { hiddenChanges } from '../plumbing/hidden-changes.ts';
import { type IgnoredQuestion, ignoredWork } from './ignored-work.ts';
import { readStatus } from '../plumbing/read-status.ts';

const NAMED = 20;

export const foundWork = (kind: WorkKind, message: string, items: readonly string[]): WorkFound => ({
  kind,
  message,
  items: items.slice(0, NAMED),
  count: items.length,
});

const files = (count: number): string => (count === 1 ? 'file' : 'files');

/** Describes files in one sentence, such as `3 files staged and not committed: a, b, c`. */
const foundFiles = (kind: WorkKind, what: string, items: readonly string[]): readonly WorkFound[] => {
  if (items.length === 0) return [];
  const names = `${items.slice(0, 5).join(', ')}${items.length > 5 ? ', …' : ''}`;
  return [foundWork(kind, `${items.length} ${files(items.length)} ${what}: ${names}`, items)];
};

/** Finds the uncommitted files of a worktree. */
export async function findFiles(git: Git, worktree: string, question: IgnoredQuestion): Promise<readonly WorkFound[]> {
  const status = await readStatus(git, worktree);
  if ('failed' in status) {
    const { err, code } = status.failed;
    const message = `Git can't list the changes in ${worktree}: ${err === '' ? `it ended with exit code ${code ?? 'unknown'}` : err}`;
    return [foundWork('unreadable', message, [])];
  }
  // If this git command fails, `findWork` reports it.
  const ignored = await ignoredWork(git, worktree, question);
  return [
    ...foundFiles('conflicted', 'in conflict', status.conflicted),
    ...foundFiles('staged', 'staged and not committed', status.staged),
    ...foundFiles('unstaged', 'changed and not committed', status.unstaged),
    ...foundFiles('untracked', 'not tracked by git', status.untracked),
    ...foundFiles('hidden', 'changed and hidden from git', await hiddenChanges(git, worktree)),
    ...foundFiles('ignored', 'ignored by git, and missing or different in the main checkout', ignored ?? []),
  ];
}
