import type { Git } from './git.ts';

/** Large files stay the pointers that they are in the commit. */
export const WITHOUT_LFS = ['-c', 'filter.lfs.smudge=', '-c', 'filter.lfs.process=', '-c', 'filter.lfs.required=false'];

/** Filters for Git LFS are set, and there is no such program. */
export async function lacksLfs(git: Git, repository: string): Promise<boolean> {
  const settings = await git(repository, ['config', '--get-regexp', String.raw`^filter\.lfs\.`]);
  return settings.ok && !(await git(repository, ['lfs', 'version'])).ok;
}

/** Git as it is, or without the filters for Git LFS where these are set and there is no such program: every checkout would fail. */
export async function withoutLfs(git: Git, repository: string): Promise<Git> {
  if (!(await lacksLfs(git, repository))) return git;
  return (directory, args, options) => git(directory, [...WITHOUT_LFS, ...args], options);
}
