import type { Git } from '#io/git/plumbing/git.ts';
import { equalsSnapshot, takeSnapshot } from '#io/git/plumbing/snapshot.ts';
import { RESCUE } from '#io/git/plumbing/kept-refs.ts';
import { commitOf, hasCommit } from '#io/git/plumbing/quiet-git.ts';
import { createWorktreeState } from '#io/git/plumbing/worktree-state.ts';
import { restoreSnapshot } from '#io/git/plumbing/restore-snapshot.ts';
import { createSerialiser } from '#io/files/serialise.ts';
import { newestStep, stepRef } from '#io/git/plumbing/step-refs.ts';
import type { RunId } from '#protocol/id.ts';
import { messageOf } from '#protocol/message-of.ts';
import type { StepSnapshots } from '#protocol/step-watch.ts';

interface StepSnapshotsParts {
  readonly git: Git;
  /** The absolute worktree of the run's own session. */
  readonly worktree: string;
  readonly run: RunId;
  readonly newId: (bytes: number) => string;
  readonly now: () => number;
  readonly warn: (message: string) => void;
}

/**
 * Creates snapshots in `refs/robosmith/steps/<run>/<n>`. What a restore replaces is saved in `refs/robosmith/rescue/…`.
 */
export function createStepSnapshots({ git, worktree, run, newId, now, warn }: StepSnapshotsParts): StepSnapshots {
  // The branches of a FORK work in one worktree, so snapshots are serialised.
  const serialise = createSerialiser();
  let newest: { readonly number: number; readonly commit: string | null } | null = null;
  const readState = createWorktreeState(git, worktree, now);
  /** The newest snapshot, and the state of the worktree just before it was taken; null if that can't be compared. */
  let last: { readonly commit: string; readonly state: string | null } | null = null;
  let isWarned = false;

  const warnOnce = (why: string): null => {
    if (!isWarned) warn(`${run}: no snapshots of its worktree are taken: ${why}`);
    isWarned = true;
    return null;
  };

  const take = async (): Promise<string | null> => {
    const state = await readState();
    // A block may have deleted the objects of the snapshot.
    if (last !== null && state !== null && state === last.state && (await hasCommit(git, worktree, last.commit)))
      return last.commit;
    const before = newest ?? (await newestStep(git, worktree, run));
    if ('kind' in before) return warnOnce(before.message);
    const number = before.number + 1;
    const taken = await takeSnapshot(git, worktree, stepRef(run, number), `before a step of ${run}`, {
      last: before.commit,
    });
    if (taken.kind === 'refused') return warnOnce(taken.message);
    newest = taken.kind === 'taken' ? { number, commit: taken.commit } : before;
    last = { commit: taken.commit, state };
    return taken.commit;
  };

  const restore = async (snapshot: string): Promise<void> => {
    if (await equalsSnapshot(git, worktree, snapshot)) return;
    const [head, then] = await Promise.all(['HEAD', `${snapshot}^1`].map((one) => commitOf(git, worktree, one)));
    // The branch has commits that were made after the snapshot, by an update from the base or by a person. Restoring
    // the files would undo them.
    if (head !== then)
      return warn(`${run}: its files were not restored after the crash: its branch has other commits by now`);
    const restored = await restoreSnapshot(git, worktree, snapshot, `${RESCUE}${run}-${newId(4)}`);
    if (restored.kind === 'refused') warn(`${run}: its files were not restored after the crash: ${restored.message}`);
    else
      warn(
        `${run}: its files were restored to the state before the interrupted step; see the discarded changes with git diff ${snapshot.slice(0, 10)} ${restored.rescue.ref}`,
      );
  };

  return {
    take: () => serialise(take).catch((thrown: unknown) => warnOnce(messageOf(thrown))),
    restore: (snapshot) =>
      serialise(() => restore(snapshot)).catch((thrown: unknown) => {
        warn(`${run}: its files were not restored after the crash: ${messageOf(thrown)}`);
      }),
  };
}
