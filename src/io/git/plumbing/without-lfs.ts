import type { Git } from './git.ts';

/** Settings that turn off the filters of Git LFS, so that the worktree gets the pointer files of the commit. */
export const WITHOUT_LFS = ['-c', 'filter.lfs.smudge=', '-c', 'filter.lfs.process=', '-c', 'filter.lfs.required=false'];

/** Returns whether filters for Git LFS are configured although the program is not installed. */
export async function lacksLfs(git: Git, repository: string): Promise<boolean> {
  const settings = await git(repository, ['config', '--get-regexp', String.raw`^filter\.lfs\.`]);
  return settings.ok && !(await git(repository, ['lfs', 'version'])).ok;
}

/**
 * Returns a git function that runs without the filters of Git LFS if these are configured but the program is missing,
 * since every checkout would fail. Otherwise returns `git` unchanged.
 */
export async function withoutLfs(git: Git, repository: string): Promise<Git> {
  if (!(await lacksLfs(git, repository))) return git;
  return (directory, args, options) => git(directory, [...WITHOUT_LFS, ...args], options);
}
