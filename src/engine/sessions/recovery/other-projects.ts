import path from 'node:path';
import { readSessions } from '#actors/session/index.ts';
import { fileCalls } from '#io/files/file-calls.ts';
import { realPath } from '#io/files/real-path.ts';
import type { Git } from '#io/git/plumbing/git.ts';
import { zeroSplit } from '#io/git/plumbing/quiet-git.ts';
import { RoboSmithError } from '#protocol/error.ts';
import type { Session } from '#protocol/session.ts';
import type { ListedWorktree } from '#protocol/worktree.ts';

/** The sessions of the other projects in the same repository, such as in another of its folders or worktrees. */
export interface OtherProjects {
  readonly sessions: readonly { readonly session: Session; readonly root: string }[];
  /** The projects whose sessions can't be read. Any worktree of the repository may belong to them. */
  readonly unread: readonly string[];
}

/** Matches files of a project in any folder: its manifest, or what is committed of its state. */
const OF_PROJECTS = [':(glob)**/.vision/*', ':(glob)**/.flow/*'];

/** Returns the folders of a checkout that may be projects: its top, and those with a manifest or a registry. */
async function projectsIn(git: Git, top: string): Promise<readonly string[]> {
  const args = ['ls-files', '-z', '--cached', '--others', '--exclude-standard', '--', ...OF_PROJECTS];
  const listed = await git(top, args, { env: { GIT_LITERAL_PATHSPECS: '0' } });
  const folders = listed.ok ? zeroSplit(listed.out) : [];
  return [top, ...folders.map((name) => path.join(top, path.dirname(path.dirname(name))))];
}

/** Finds the other projects by their manifests in all checkouts of the repository. Changes nothing. */
export async function otherProjects(git: Git, root: string, listed: readonly ListedWorktree[]): Promise<OtherProjects> {
  const own = await realPath(root);
  const roots = new Set<string>();
  for (const { path: top, isThere, isBare } of listed)
    if (isThere && !isBare) for (const folder of await projectsIn(git, top)) roots.add(folder);
  roots.delete(own);
  const sessions: OtherProjects['sessions'][number][] = [];
  const unread: string[] = [];
  for (const other of roots) {
    try {
      const stored = readSessions({ calls: fileCalls, folder: path.join(other, '.flow') });
      sessions.push(...stored.sessions.map((session) => ({ session, root: other })));
    } catch (thrown) {
      if (!RoboSmithError.is(thrown, 'corrupt_state')) throw thrown;
      unread.push(other);
    }
  }
  return { sessions, unread };
}
