import type { Refused } from '#actors/session/index.ts';
import type { Git } from '#io/git/git.ts';
import { addWorktree } from '#io/worktrees/add-worktree.ts';
import { prepareRepository } from '#io/worktrees/prepare-repository.ts';
import type { Repository } from '#io/worktrees/repository.ts';
import { branchCommit } from '#io/worktrees/resolve-base.ts';
import { worktreePlace } from '#io/worktrees/worktree-place.ts';
import type { WorktreeSettings } from '#machines/session/read-worktree.ts';
import type { Session, SessionBase } from '#protocol/session.ts';

export interface WorktreeParts {
  readonly git: Git;
  readonly root: string;
  readonly now: () => number;
  readonly warn: (message: string) => void;
}

export type MadeWorktree =
  | {
      readonly ok: true;
      readonly base: SessionBase;
      readonly path: string;
      readonly isNew: boolean;
      readonly repository: Repository;
    }
  | Refused;

const refused = (why: string): Refused => ({ ok: false, why });

/** Of a session that had one before: it went on from there, and so does its base. */
const baseOf = (session: Session, repository: Repository): SessionBase => session.base ?? repository.base;

/** The worktree that has the session's branch checked out, or a new one at the newest commit of the base. */
export async function standWorktree(
  session: Session,
  settings: Pick<WorktreeSettings, 'sparse'>,
  { git, root, now, warn }: WorktreeParts,
): Promise<MadeWorktree> {
  // Asked for beside the rest; without a git that says so.
  const known = branchCommit(git, root, session.branch).catch(() => null);
  const prepared = await prepareRepository(git, root, {
    base: session.baseBranch,
    now: now(),
    withoutSubmodules: true,
  });
  if (prepared.kind === 'refused') return refused(prepared.message);
  const { repository, notes } = prepared;
  for (const { message } of notes) warn(`${session.id}: ${message}`);
  const base = baseOf(session, repository);
  const place = repository.main ?? repository.common;
  const there = repository.worktrees.find(({ branch, prunable }) => branch === session.branch && prunable === null);
  if (there !== undefined && !there.isMain) return { ok: true, base, path: there.path, isNew: false, repository };
  const isKnown = session.isAttached || (await known) !== null;
  const made = await addWorktree(git, {
    ...{ repository: place, branch: session.branch, session: session.id, sparse: settings.sparse },
    path: worktreePlace(place, session.title, session.id),
    worktrees: repository.worktrees,
    start: isKnown ? { kind: 'attach' } : { kind: 'new', base: base.commit },
  });
  if (made.kind === 'refused') {
    const left = made.leftovers.length === 0 ? '' : `; still there: ${made.leftovers.join(', ')}`;
    return refused(`${made.message}${left}`);
  }
  for (const { message } of made.notes) warn(`${session.id}: ${message}`);
  return { ok: true, base, path: made.path, isNew: true, repository };
}
