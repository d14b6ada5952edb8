import type { LeftOut } from '../git/all-files.ts';
import type { Git } from '../git/git.ts';
import { lineOf, zeroSplit } from '../git/quiet-git.ts';
import { type Refusal, refused, whyFailed } from '../git/refusal.ts';

/** Paths of submodules that have a checkout here. */
async function submodulesIn(git: Git, worktree: string): Promise<readonly string[] | Refusal> {
  const listed = await git(worktree, ['ls-files', '-z', '--stage']);
  if (!listed.ok) return whyFailed(listed, 'the submodules were not found');
  const links = zeroSplit(listed.out).filter((entry) => entry.startsWith('160000 '));
  const found: string[] = [];
  for (const link of links) {
    const name = link.slice(link.indexOf('\t') + 1);
    const top = await git(worktree, ['-C', name, 'rev-parse', '--show-prefix']);
    // In a folder without a repository of its own git answers for ours, where it is below the top.
    if (top.ok && lineOf(top) === '') found.push(name);
  }
  return found;
}

/** A linked worktree's submodules have their repositories inside it: what only they have goes with them. */
async function isUnsaved(git: Git, worktree: string, submodule: string): Promise<boolean> {
  const status = await git(worktree, [
    '-C',
    submodule,
    'status',
    '--porcelain',
    '--untracked-files=all',
    '--ignore-submodules=none',
  ]);
  const own = await git(worktree, [
    '-C',
    submodule,
    'rev-list',
    '-1',
    'HEAD',
    '--branches',
    '--tags',
    'refs/stash',
    '--not',
    '--remotes',
    '--',
  ]);
  const unstashed = own.ok
    ? own
    : await git(worktree, ['-C', submodule, 'rev-list', '-1', 'HEAD', '--branches', '--not', '--remotes', '--']);
  return !status.ok || status.out !== '' || !unstashed.ok || unstashed.out !== '';
}

/** What a snapshot of a worktree does not save, and its removal would lose; null: nothing. */
export async function whyUnsafe(git: Git, worktree: string, leftOut: readonly LeftOut[]): Promise<Refusal | null> {
  if (leftOut.length > 0) {
    const files = leftOut.map((one) => one.path);
    return refused(
      'work_not_saved',
      'the worktree has what git cannot keep: a repository inside, or a file that is too large; move it away first',
      files,
    );
  }
  const submodules = await submodulesIn(git, worktree);
  if ('kind' in submodules) return submodules;
  const files: string[] = [];
  for (const name of submodules) if (await isUnsaved(git, worktree, name)) files.push(name);
  return files.length === 0
    ? null
    : refused(
        'work_not_saved',
        'a submodule has work that is on no remote; push it, or clean the submodule up first',
        files,
      );
}
