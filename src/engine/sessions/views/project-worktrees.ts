import { wallClock } from '#io/clock/clock.ts';
import { createGit } from '#io/git/plumbing/git.ts';
import { processes } from '#io/process/process.ts';
import { findLeftovers } from '../recovery/clean-sessions.ts';
import type { CleaningItem } from '../recovery/cleaning-step.ts';
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
