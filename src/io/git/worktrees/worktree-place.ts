import path from 'node:path';
import type { SessionId } from '#protocol/id.ts';

/** Windows takes 260 characters for a whole path unless it is told otherwise: what stands before the project's own names is short. */
const LONGEST_SLUG = 24;

/** Small letters, digits and single dashes: the same name on every file system; empty when a title has none of these. */
export const slugOf = (title: string): string =>
  title
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, LONGEST_SLUG)
    .replace(/^-+|-+$/g, '');

/** Two sessions never share it, since it ends with the id; for the same reason it is no device of Windows. */
const worktreeName = (title: string, session: SessionId): string => {
  const slug = slugOf(title);
  return slug === '' ? session : `${slug}-${session}`;
};

/** `<repo>.worktrees/`, beside the repository: VS Code's own convention. `repository`: its main worktree, or a bare one's folder. */
export const worktreesFolder = (repository: string): string => {
  const { dir, base } = path.parse(path.resolve(repository));
  return path.join(dir, `${base.replace(/\.git$/, '') || 'git'}.worktrees`);
};

/** Where a session's worktree goes (spec/worktrees.md "Creating"); `folder` where another place is set. */
export const worktreePlace = (
  repository: string,
  title: string,
  session: SessionId,
  folder = worktreesFolder(repository),
): string => path.join(folder, worktreeName(title, session));
