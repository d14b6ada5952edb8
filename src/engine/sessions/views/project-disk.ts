import { callLogFolder } from '#io/project/call-log-folder.ts';
import path from 'node:path';
import { folderSize, type FolderSize } from '#io/files/folder-size.ts';
import type { SessionId } from '#protocol/id.ts';
import { limitConcurrency } from '#protocol/limit-concurrency.ts';
import { storedSessions } from './list-sessions.ts';

/** The disk usage of a project. Null for folders that don't exist. */
export interface DiskUse {
  readonly worktrees: readonly { readonly session: SessionId; readonly size: FolderSize | null }[];
  readonly flow: FolderSize | null;
  readonly logs: FolderSize | null;
}

/** Returns the disk usage of sessions, runs and logs. The number of counted files per folder is limited. */
export async function projectDisk(root: string): Promise<DiskUse> {
  const folders = storedSessions(root).flatMap(({ id, worktree }) => (worktree === null ? [] : [{ id, worktree }]));
  return {
    worktrees: await limitConcurrency(folders, 2, async ({ id, worktree }) => ({
      session: id,
      size: await folderSize(worktree),
    })),
    flow: await folderSize(path.join(root, '.flow')),
    logs: await folderSize(callLogFolder(root)),
  };
}
