import { filesBefore, type Place, readRun } from '#actors/journal/index.ts';
import type { SessionManager } from '#actors/session/index.ts';
import { RESCUE, START } from '#io/git/plumbing/kept-refs.ts';
import { commitOf, moveRef } from '#io/git/plumbing/quiet-git.ts';
import { restoreSnapshot } from '#io/git/plumbing/restore-snapshot.ts';
import { takeSnapshot } from '#io/git/plumbing/snapshot.ts';
import { worktreePlace } from '#io/git/worktrees/worktree-place.ts';
import { RoboSmithError } from '#protocol/error.ts';
import type { RunId, SessionId } from '#protocol/id.ts';
import type { Session } from '#protocol/session.ts';
import type { StepOfRun } from '#protocol/session-api.ts';
import { noSuchStep } from '../durable/fork-run.ts';
import { makeSession } from './creation/make-session.ts';
import { repositoryOf } from './outcomes/merge-work.ts';
import type { SessionPlaceParts } from './model/session-place.ts';

/** Creates the journal of a fork; null if the run has no such step. */
export type ForkRun = (run: RunId, step: number, session: SessionId, directory: string) => RunId | null;

interface ForkSessionParts extends SessionPlaceParts {
  readonly manager: SessionManager;
  readonly forkRun: ForkRun;
}

const startRef = (id: SessionId): string => `${START}${id}`;

const refused = (why: string): RoboSmithError => new RoboSmithError('refused', why, {});

/**
 * Returns the files before a step: the next snapshot that was taken, in this run or a later one; null if nothing has
 * changed since.
 */
function snapshotBefore({ runs }: Session, run: RunId, step: number, place: Place): string | null {
  for (const [index, one] of runs.slice(runs.indexOf(run)).entries()) {
    const reading = readRun(place, one);
    const entries = reading.kind === 'read' ? reading.run.entries : [];
    const found = filesBefore(entries, index === 0 ? step : 1);
    if (found !== null) return found;
  }
  return null;
}

/** Stores the start files of a new session under its own ref. Returns the commit of its branch. */
async function keepStart(old: Session, id: SessionId, { run, step }: StepOfRun, parts: SessionPlaceParts) {
  const { git, root } = parts;
  const ref = startRef(id);
  const keep = async (snapshot: string, before: string | null): Promise<string | null> => {
    const kept = await moveRef(git, root, ref, snapshot, before, 'forked');
    if (!kept.ok) throw refused(`the files of that step no longer exist: their snapshot ${snapshot} was removed`);
    return commitOf(git, root, `${snapshot}^1`);
  };
  const snapshot = snapshotBefore(old, run, step, parts);
  if (snapshot !== null) return keep(snapshot, null);
  if (old.worktree === null) return commitOf(git, root, `refs/heads/${old.branch}`);
  const taken = await takeSnapshot(git, old.worktree, ref, `start of ${id}`);
  if (taken.kind === 'refused') throw refused(taken.message);
  // A step that started meanwhile may have changed the files, so check again.
  const since = snapshotBefore(old, run, step, parts);
  return since === null ? commitOf(git, root, `${taken.commit}^1`) : keep(since, taken.commit);
}

async function dropStart(id: SessionId, { git, root }: SessionPlaceParts): Promise<void> {
  const commit = await commitOf(git, root, startRef(id));
  if (commit !== null) await moveRef(git, root, startRef(id), null, commit, 'not forked');
}

interface NewBranch {
  readonly id: SessionId;
  readonly branch: string;
  readonly start: string;
}

/**
 * Creates the branch of a fork, then its run. If the run can't be created, the branch and the stored files are removed
 * again.
 */
async function forkOnto({ id, branch, start }: NewBranch, parts: SessionPlaceParts, fork: () => RunId | null) {
  const { git, root } = parts;
  const ref = `refs/heads/${branch}`;
  let [forked, isBranched]: [RunId | null, boolean] = [null, false];
  try {
    const branched = await moveRef(git, root, ref, start, null, 'forked');
    if (!branched.ok) throw refused(`the branch ${branch} was not created: ${branched.err}`);
    isBranched = true;
    forked = fork();
    return forked;
  } finally {
    if (forked === null) {
      if (isBranched) await moveRef(git, root, ref, null, start, 'not forked');
      await dropStart(id, parts);
    }
  }
}

/**
 * Creates a draft session that continues from a step of another session's run, with the files of that step in its own
 * worktree. The other session is not changed.
 */
export async function forkSession(of: SessionId, from: StepOfRun, parts: ForkSessionParts): Promise<Session> {
  const { manager, newId, now, forkRun } = parts;
  const { run, step } = from;
  const old = manager.get(of);
  if (!old.runs.includes(run))
    throw new RoboSmithError('usage', `${run} is not a run of session ${of}.`, {
      next: [`robosmith sessions show ${of}`],
    });
  const found = await repositoryOf(parts);
  if (!found.ok) throw refused(found.why);
  const id = `s${newId(4)}` as SessionId;
  const title = `${old.title.slice(0, 180).replace(/( from step \d+)+$/, '')} from step ${String(step)}`;
  const order = { title, job: old.job, plan: [], base: null, attach: null } as const;
  const draft = makeSession({ ...order, priority: null, after: [], isDraft: true }, id, old.baseBranch, now());
  const start = await keepStart(old, id, from, parts);
  if (start === null) throw refused(`the branch of ${old.title} is gone: there is nothing to start from`);
  const forked = await forkOnto({ id, branch: draft.branch, start }, parts, () =>
    forkRun(run, step, id, worktreePlace(found.place, title, id)),
  );
  if (forked === null) throw noSuchStep(from);
  manager.add({ ...draft, base: old.base, runs: [forked] });
  return manager.get(id);
}

/**
 * Restores the start files of a forked session in its new worktree. Returns the reason if that fails, otherwise null.
 */
export async function layOutStart(id: SessionId, worktree: string, { git }: Pick<SessionPlaceParts, 'git'>) {
  const ref = startRef(id);
  const commit = await commitOf(git, worktree, ref);
  if (commit === null) return null;
  const restored = await restoreSnapshot(git, worktree, ref, `${RESCUE}${id}`);
  if (restored.kind === 'refused') return `the files of its step were not restored: ${restored.message}`;
  await moveRef(git, worktree, ref, null, commit, 'laid out');
  await moveRef(git, worktree, restored.rescue.ref, null, restored.rescue.commit, 'nothing of anybody');
  return null;
}
