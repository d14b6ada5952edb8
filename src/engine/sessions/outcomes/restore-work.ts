import { DISCARDED } from '#io/git/plumbing/kept-refs.ts';
import { restoreSession } from '#io/git/outcomes/restore-session.ts';
import { worktreePlace } from '#io/git/worktrees/worktree-place.ts';
import { lockReason } from '#protocol/worktree.ts';
import type { Session } from '#protocol/session.ts';
import type { HeldWork } from './hold-work.ts';
import { repositoryOf } from './merge-work.ts';
import type { SerialPlaceParts } from '../model/session-place.ts';

/** Restores branch, worktree and uncommitted changes as they were when the session was discarded. */
export async function restoreWork(session: Session, parts: SerialPlaceParts): Promise<HeldWork> {
  const { git, serialise } = parts;
  const found = await repositoryOf(parts);
  if (!found.ok) return found;
  const worktree = worktreePlace(found.place, session.title, session.id);
  const back = await restoreSession(git, {
    repository: found.place,
    ref: DISCARDED + session.id,
    branch: session.branch,
    worktree,
    serialise,
    lock: lockReason(session.id),
  });
  if (back.kind === 'refused') return { ok: false, why: back.message, files: back.files };
  return { ok: true, worktree, notes: [`${session.branch} is back at ${back.tip.slice(0, 10)}`] };
}
