import path from 'node:path';
import type { SessionId } from '#protocol/id.ts';
import { inLatinLetters } from './latin-letters.ts';

/**
 * The longest slug in characters. Windows limits a path to 260 characters by default, so the worktree's own path must
 * be short enough for the files in it.
 */
const LONGEST_SLUG = 24;

/**
 * Converts a title to lowercase letters, digits and single dashes, which give the same name on every file system. Empty
 * if the title has no letter that can be written in a to z, and no digit.
 */
export const slugOf = (title: string): string =>
  inLatinLetters(title)
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, LONGEST_SLUG)
    .replace(/^-+|-+$/g, '');

/**
 * Returns the folder name of a session's worktree. The id at its end makes it unique, and keeps it from being a
 * reserved device name of Windows.
 */
const worktreeName = (title: string, session: SessionId): string => {
  const slug = slugOf(title);
  return slug === '' ? session : `${slug}-${session}`;
};

/**
 * Returns the default folder for worktrees, `<repo>.worktrees/` beside the repository, which is also VS Code's
 * convention. `repository` is its main worktree, or the folder of a bare repository.
 */
export const worktreesFolder = (repository: string): string => {
  const { dir, base } = path.parse(path.resolve(repository));
  return path.join(dir, `${base.replace(/\.git$/, '') || 'git'}.worktrees`);
};

/** Returns the path of a session's worktree, below `folder` if the user has set one. */
export const worktreePlace = (
  repository: string,
  title: string,
  session: SessionId,
  folder = worktreesFolder(repository),
): string => path.join(folder, worktreeName(title, session));
