import { createGit } from '#io/git/plumbing/git.ts';
import { lineOf } from '#io/git/plumbing/quiet-git.ts';
import { processes } from '#io/process/process.ts';
import type { Session } from '#protocol/session.ts';

/** The fields of a session by which its changes are found. */
export type SessionPlace = Pick<Session, 'worktree' | 'base' | 'branch' | 'baseBranch'>;

const git = createGit(processes);

/** Returns the commit at which a session's own changes begin; null if git can't determine it. */
export async function sinceOf(
  directory: string,
  head: string,
  { base, baseBranch }: SessionPlace,
): Promise<string | null> {
  if (base === null) return null;
  const parted = await git(directory, ['merge-base', head, `refs/heads/${baseBranch}`]);
  return parted.ok ? lineOf(parted) : base.commit;
}
