import { rm } from 'node:fs/promises';
import { messageOf } from '#protocol/message-of.ts';

/**
 * Removes the folder in which a repository has registered a worktree of the repository that it was copied from. Git
 * refuses to do that. Returns why it could not be removed; null if it was.
 */
export const removeCopiedEntry = (entry: string): Promise<string | null> =>
  rm(entry, { recursive: true }).then(() => null, messageOf);
