import type { SessionRefusal } from '#actors/session/index.ts';
import type { Git } from '#io/git/plumbing/git.ts';
import { RESCUE } from '#io/git/plumbing/kept-refs.ts';
import { gitFoldersOf } from '#io/git/plumbing/git-folders.ts';
import { realPath } from '#io/files/real-path.ts';
import { addWorktree } from '#io/git/worktrees/add-worktree.ts';
import { isLeftHalfMade, removeHalfMade } from '#io/git/worktrees/incomplete-worktree.ts';
import { prepareRepository } from '#io/git/worktrees/prepare-repository.ts';
import type { Repository } from '#io/git/worktrees/repository.ts';
import { branchCommit } from '#io/git/worktrees/resolve-base.ts';
import { worktreePlace } from '#io/git/worktrees/worktree-place.ts';
import type { WorktreeSettings } from '#machines/session/read-worktree.ts';
import type { Processes } from '#protocol/services.ts';
import type { Session, SessionBase } from '#protocol/session.ts';
import { isOurLock, type ListedWorktree, lockReason } from '#protocol/worktree.ts';

interface WorktreeParts {
  readonly git: Git;
  readonly processes: Processes;
  readonly root: string;
  readonly now: () => number;
}

export type MadeWorktree =
  | {
      readonly ok: true;
      readonly base: SessionBase;
      readonly path: string;
      readonly isNew: boolean;
      /** True if the worktree was made by somebody else, who keeps it. */
      readonly isWorktreeKept: boolean;
      readonly remarks: readonly string[];
      readonly repository: Repository;
    }
  | SessionRefusal;

const refused = (why: string): SessionRefusal => ({ ok: false, why });

/** Returns the base; a session that had a worktree before keeps its base. */
const baseOf = (session: Session, repository: Repository): SessionBase => session.base ?? repository.base;

/**
 * Returns the base branch to look up; null for an existing session whose base branch no longer exists, because its base
 * commit is known.
 */
const baseToAsk = async ({ base, baseBranch }: Session, git: Git, root: string): Promise<string | null> =>
  base !== null && (await branchCommit(git, root, baseBranch)) === null ? null : baseBranch;

/**
 * Returns the worktree that has the session's branch checked out, even if its folder is gone, except if git would prune
 * it.
 */
const holderOf = ({ branch }: Session, { worktrees }: Repository): ListedWorktree | null =>
  worktrees.find((one) => one.branch === branch && one.prunable === null && !one.isMain) ?? null;

/**
 * Returns the previous path of a worktree whose folder is gone: git still has it registered, with the session's lock.
 */
const placeAgain = ({ id }: Session, holder: ListedWorktree | null): string | null =>
  holder !== null && !holder.isThere && holder.locked === lockReason(id) ? holder.path : null;

/** Returns the worktree that has the session's branch checked out, or creates one at the newest commit of the base. */
export async function standWorktree(
  session: Session,
  settings: Pick<WorktreeSettings, 'sparse'>,
  { git, processes, root, now }: WorktreeParts,
): Promise<MadeWorktree> {
  // Runs in parallel with the calls below, which report a missing git.
  const known = branchCommit(git, root, session.branch).catch(() => null);
  const prepared = await prepareRepository(git, root, {
    base: await baseToAsk(session, git, root),
    now: now(),
    withoutSubmodules: true,
  });
  if (prepared.kind === 'refused') return refused(prepared.message);
  const { repository, notes } = prepared;
  const remarks: string[] = notes.map(({ message }) => message);
  const base = baseOf(session, repository);
  const place = repository.main ?? repository.common;
  const holder = holderOf(session, repository);
  let { worktrees } = repository;
  if (holder?.isThere === true) {
    const folders = await gitFoldersOf(holder.path);
    if (folders !== null && folders.common !== (await realPath(repository.common)))
      return refused(`${holder.path} is a worktree of another repository, in which this session must not work`);
    if (!(await isLeftHalfMade(holder))) {
      const isWorktreeKept = holder.locked === null || !isOurLock(holder.locked);
      if (isWorktreeKept) remarks.push(`${holder.path} existed before the session, so it stays when the session ends`);
      return { ok: true, base, path: holder.path, isNew: false, isWorktreeKept, remarks, repository };
    }
    const rescueRef = `${RESCUE}${session.id}-unfinished-${String(now())}`;
    const left = { repository: place, worktree: holder.path, session: session.id, rescueRef, now: now() };
    const refusal = await removeHalfMade(git, processes, left);
    if (refusal !== null) return refused(refusal.message);
    remarks.push(`${holder.path} was incomplete and is created again; its files are saved: git show ${rescueRef}`);
    worktrees = worktrees.filter((one) => one !== holder);
  }
  const isKnown = session.isAttached || (await known) !== null;
  const made = await addWorktree(git, {
    repository: place,
    branch: session.branch,
    session: session.id,
    sparse: settings.sparse,
    path: placeAgain(session, holder) ?? worktreePlace(place, session.title, session.id),
    worktrees,
    start: isKnown ? { kind: 'attach' } : { kind: 'new', base: base.commit },
  });
  if (made.kind === 'refused') {
    const left = made.leftovers.length === 0 ? '' : `; not removed: ${made.leftovers.join(', ')}`;
    return refused(`${made.message}${left}`);
  }
  remarks.push(...made.notes.map(({ message }) => message));
  return { ok: true, base, path: made.path, isNew: true, isWorktreeKept: false, remarks, repository };
}
