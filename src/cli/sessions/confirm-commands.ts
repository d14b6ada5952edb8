import { stat } from 'node:fs/promises';
import { verifyingGraph } from '#engine/authoring.ts';
import { runDetails } from '#engine/index.ts';
import type { Graph } from '#protocol/graph.ts';
import { isFinal } from '#protocol/run-status.ts';
import type { Session } from '#protocol/session.ts';
import type { CliIo } from '../terminal/cli-io.ts';
import { openManifest, runnable } from '../manifest/open-manifest.ts';
import { printInvalid } from '../manifest/open-workflow.ts';
import { askTrust } from '../trust/ask-trust.ts';
import { confirmBranch } from '../trust/confirm-branch.ts';
import { usageError } from '../terminal/usage-error.ts';

/** The states in which a session can be resumed. */
const CAN_RESUME: ReadonlySet<Session['state']> = new Set(['halted', 'failed', 'held']);

/**
 * Returns the workflow that is stored with the session's run if the run can be resumed, otherwise that of the manifest
 * of the session's job: null if that has errors, which were printed, and `missing` if it no longer exists. Then the host
 * executes nothing of it.
 */
async function graphOf(
  runs: Session['runs'],
  manifestFile: string,
  root: string,
  io: CliIo,
): Promise<Graph | 'missing' | null> {
  const newest = runs.at(-1);
  const details = newest === undefined ? null : runDetails(root, newest);
  if (details !== null && !isFinal(details.listing.summary.status)) return details.graph;
  if ((await stat(manifestFile).catch(() => null)) === null) return 'missing';
  const manifest = await openManifest(manifestFile, [root], io, root);
  const workflow = runnable(manifest);
  if (workflow === null) printInvalid(manifest, io);
  return workflow?.graph ?? null;
}

/**
 * Asks the user to trust the commands that a session would run when it is resumed, and the commit of its branch, because the host can't ask and the
 * session would fail. Returns false if the manifest has errors, which were printed.
 */
export async function confirmCommands(
  { id, branch, base, isAttached, job, resolving, runs, state }: Session,
  trust: boolean,
  root: string,
  io: CliIo,
): Promise<boolean> {
  if (!CAN_RESUME.has(state)) return true;
  // A session without a base has no worktree yet: its branch may still hold a commit that nobody has confirmed.
  const isNew = isAttached && base === null;
  const today = isNew ? await verifyingGraph({ job, resolving }, root) : null;
  if (isNew && !(await confirmBranch(branch, root, today, trust, io)))
    throw usageError(`The branch ${branch} comes from elsewhere, and must be confirmed first; nothing was changed.`, [
      `robosmith sessions resume ${id} --trust`,
    ]);
  if (job === null || resolving !== null) return true;
  const graph = await graphOf(runs, job.manifest, root, io);
  if (graph === null) return false;
  if (graph === 'missing') return true;
  if ((await askTrust(graph, root, trust, io)) !== null) return true;
  throw usageError('This project runs commands or calls models, and it is not trusted yet; nothing was changed.', [
    `robosmith sessions resume ${id} --trust`,
  ]);
}
