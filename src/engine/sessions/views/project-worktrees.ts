import { folderSize, type FolderSize } from '#io/files/folder-size.ts';
import { fileCalls } from '#io/files/file-calls.ts';
import { wallClock } from '#io/clock/clock.ts';
import { realPath } from '#io/files/real-path.ts';
import { createGit } from '#io/git/plumbing/git.ts';
import { carriedPatterns } from '#io/git/worktrees/bootstrap-worktree.ts';
import { foreseeLeftOut } from '#io/git/worktrees/carry-files.ts';
import { readWorktree } from '#machines/session/read-worktree.ts';
import { processes } from '#io/process/process.ts';
import type { Graph } from '#protocol/graph.ts';
import type { Session } from '#protocol/session.ts';
import { workOfSession } from '../outcomes/discard-work.ts';
import { findLeftovers } from '../recovery/clean-sessions.ts';
import type { CleaningItem } from '../recovery/plan-recovery.ts';
import { limitConcurrency } from '#protocol/limit-concurrency.ts';
import { storedSessions } from './list-sessions.ts';

type ProjectWorktrees =
  | { readonly ok: true; readonly goes: readonly CleaningItem[]; readonly stays: readonly CleaningItem[] }
  | { readonly ok: false; readonly why: string };

/**
 * Returns the problems of a project's worktrees: what cleaning would remove and keep. Only reads, so it works while
 * another process owns the engine.
 */
export async function projectWorktrees(root: string): Promise<ProjectWorktrees> {
  const parts = { git: createGit(processes), processes, root, now: () => wallClock.now() };
  const looked = await findLeftovers(storedSessions(root), parts);
  if (!looked.ok) return looked;
  return { ok: true, goes: looked.steps.map(({ item }) => item), stays: looked.stays };
}

/** Returns messages about the work that exists only in a session, such as commits that no other branch has. */
export const unsavedWork = (session: Session, root: string): Promise<readonly string[]> =>
  workOfSession(session, {
    git: createGit(processes),
    processes,
    root,
    calls: fileCalls,
    now: () => wallClock.now(),
  });

/** Returns which files of the manifest's `worktree` section would be left out in a new worktree, and why. */
export const leftOutOfWorktrees = async (graph: Graph, root: string): Promise<readonly string[]> =>
  foreseeLeftOut(createGit(processes), await realPath(root), carriedPatterns(readWorktree(graph.worktree)));

/** A leftover with the size of its folder; null if it is no folder, or if the folder does not exist. */
export type SizedLeftover = CleaningItem & { readonly size: FolderSize | null };

const COUNTED_AT_ONCE = 2;

const sized = (items: readonly CleaningItem[]): Promise<readonly SizedLeftover[]> =>
  limitConcurrency(items, COUNTED_AT_ONCE, async (item) => ({
    ...item,
    size: item.what === 'worktree' ? await folderSize(item.name) : null,
  }));

/** Adds the sizes of the folders to what cleaning would remove and keep. The count is limited. */
export async function withSizes({ goes, stays }: Extract<ProjectWorktrees, { readonly ok: true }>): Promise<{
  readonly goes: readonly SizedLeftover[];
  readonly stays: readonly SizedLeftover[];
}> {
  return { goes: await sized(goes), stays: await sized(stays) };
}
