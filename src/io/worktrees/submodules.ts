import type { Git } from '../git/git.ts';

/** Paths of the submodules that a commit has, as its `.gitmodules` says. */
export async function submodulesOf(git: Git, repository: string, commit: string): Promise<readonly string[]> {
  const blob = `${commit}:.gitmodules`;
  const there = await git(repository, ['cat-file', '-e', blob]);
  if (!there.ok) return [];
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
