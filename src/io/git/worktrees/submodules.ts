import type { Git } from '../plumbing/git.ts';

/** Returns the paths of a commit's submodules, from its `.gitmodules`. */
export async function submodulesOf(git: Git, repository: string, commit: string): Promise<readonly string[]> {
  const blob = `${commit}:.gitmodules`;
  const there = await git(repository, ['ls-tree', '--full-tree', commit, '--', '.gitmodules']);
  if (!there.ok || there.out === '') return [];
  const found = await git(repository, [
    'config',
    '-z',
    '--blob',
    blob,
    '--get-regexp',
    String.raw`^submodule\..*\.path$`,
  ]);
  return found.out
    .split('\0')
    .filter((entry) => entry.includes('\n'))
    .map((entry) => entry.slice(entry.indexOf('\n') + 1));
}
