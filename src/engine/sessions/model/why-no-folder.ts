import { statIfThere } from '#io/files/durable-file.ts';
import type { Session } from '#protocol/session.ts';
import type { SessionPlaceParts } from './session-place.ts';

/** Returns why a session's worktree is missing; null if it exists, or if the session has none. */
export function whyNoFolder(
  { id, worktree, branch }: Session,
  { calls }: Pick<SessionPlaceParts, 'calls'>,
): { readonly ok: false; readonly why: string } | null {
  if (worktree === null || statIfThere(calls, worktree) !== null) return null;
  const why = `its worktree ${worktree} is missing: robosmith sessions resume ${id} creates it again from the branch ${branch}`;
  return { ok: false, why };
}
