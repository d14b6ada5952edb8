import { DISCARDED } from '#io/git/plumbing/kept-refs.ts';
import { keptHeadsOf } from '#io/git/worktrees/keep-heads.ts';
import { commitOf } from '#io/git/plumbing/quiet-git.ts';
import { listWorktrees } from '#io/git/worktrees/list-worktrees.ts';
import { restoreSession } from '#io/git/outcomes/restore-session.ts';
import { worktreePlace } from '#io/git/worktrees/worktree-place.ts';
import { lockReason } from '#protocol/worktree.ts';
import type { Session } from '#protocol/session.ts';
import type { HeldWork } from './hold-work.ts';
import { repositoryOf } from './merge-work.ts';
import type { SerialPlaceParts } from '../model/session-place.ts';

/** Takes up a session whose branch and worktree a discard has left in place. */
async function standingAgain({ branch }: Session, repository: string, { git }: SerialPlaceParts): Promise<HeldWork> {
  if ((await commitOf(git, repository, `refs/heads/${branch}`)) === null)
    return { ok: false, why: `its branch ${branch} no longer exists` };
  const listed = await listWorktrees(git, repository);
  const all = listed.kind === 'listed' ? listed.worktrees : [];
  const worktree = all.find((one) => one.branch === branch && one.isThere && !one.isMain)?.path ?? null;
  return { ok: true, worktree, notes: [worktree === null ? `${branch} is in no worktree now` : `in ${worktree}`] };
}

/** Restores branch, worktree and uncommitted changes as they were when the session was discarded. */
export async function restoreWork(session: Session, parts: SerialPlaceParts): Promise<HeldWork> {
  const { git, serialise } = parts;
  const found = await repositoryOf(parts);
  if (!found.ok) return found;
  if (session.isWorktreeKept) return standingAgain(session, found.place, parts);
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
  const heads = await keptHeadsOf(git, found.place, session.id);
  const notes = heads.map(
    (ref) =>
      `its worktree also had commits that were on no branch: \`git log ${ref}\` lists them, and \`git branch <name> ${ref}^1\` gives them a branch`,
  );
  return { ok: true, worktree, notes: [`${session.branch} is back at ${back.tip.slice(0, 10)}`, ...notes] };
}
