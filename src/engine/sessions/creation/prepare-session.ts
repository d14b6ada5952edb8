import { jobInTurn } from '#logic/queue/job-in-turn.ts';
import { readWorktree, type WorktreeSettings } from '#machines/session/read-worktree.ts';
import type { Environment } from '#protocol/environment.ts';
import type { Graph } from '#protocol/graph.ts';
import type { Reason } from '#protocol/response.ts';
import type { RunOptions } from '#protocol/run.ts';
import type { Session } from '#protocol/session.ts';
import { type PreparedJob, prepareJob } from '../../jobs/prepare-job.ts';
import { workersFor } from '../../registry/workers-for.ts';
import { mayRun } from '../../trust/check-trust.ts';
import type { Executable } from '../../trust/executable.ts';
import type { SessionPlaceParts } from '../model/session-place.ts';
import { manifestOf } from './manifest-of.ts';

type ManifestPlace = Pick<SessionPlaceParts, 'root' | 'environment' | 'environmentOf'>;

export type PreparedSession =
  | {
      readonly ok: true;
      readonly job: PreparedJob | null;
      /** The project's own workers, for a run that resumes. */
      readonly workers: NonNullable<RunOptions['workers']> | null;
      readonly settings: WorktreeSettings;
    }
  | {
      readonly ok: false;
      readonly why: string;
      /** The reason of the Response that a run would end with; absent if the session itself is refused. */
      readonly reason?: Reason;
    };

const textOf = (details: unknown): string =>
  typeof details === 'object' && details !== null && 'message' in details && typeof details.message === 'string'
    ? details.message
    : 'check the manifest with robosmith validate';

const NO_COMMANDS = { setup: [], teardown: [] } as const;

/**
 * Reads the settings for a worktree that a person works in. The manifest's commands are left out unless the user trusts the
 * project: nobody can be asked here.
 */
async function byHand({ root, environment }: Omit<ManifestPlace, 'environmentOf'>): Promise<PreparedSession> {
  const found = await manifestOf(null, root);
  if (!found.ok) return found;
  const { graph } = found;
  if (graph === null) return { ok: true, job: null, workers: null, settings: readWorktree({}) };
  const settings = readWorktree(graph.worktree);
  const isTrusted = settings.setup.length === 0 || (await mayRun(graph, root, environment));
  return { ok: true, job: null, workers: null, settings: isTrusted ? settings : { ...settings, ...NO_COMMANDS } };
}

/**
 * Prepares the resumption of a run with the manifest stored with it, because the current manifest may lack the run's
 * node or have errors.
 */
export async function prepareToResume(
  graph: Graph,
  root: string,
  approved: readonly Executable[],
  environment: Environment | null,
): Promise<PreparedSession> {
  const found = await workersFor(graph, root, approved, environment);
  if ('refused' in found) return { ok: false, why: `registry_error: ${textOf(found.refused)}` };
  return { ok: true, job: null, workers: found.workers, settings: readWorktree(graph.worktree) };
}

/** Checks what a session needs before its worktree is created: a manifest without errors, and the user's trust. */
export async function prepareSession(
  session: Session,
  { root, environment, environmentOf }: ManifestPlace,
): Promise<PreparedSession> {
  const job = jobInTurn(session);
  if (job === null) return byHand({ root, environment });
  const outcome = await prepareJob(root, job, environment, environmentOf?.(session.id) ?? null);
  if (outcome.ok) {
    const settings = readWorktree(outcome.job.workflow.graph.worktree);
    if (settings.isolation === 'none')
      return {
        ok: false,
        why: 'the manifest says "isolation": "none": run it without a session, with --in <directory>',
      };
    return { ok: true, job: outcome.job, workers: outcome.job.options.workers ?? null, settings };
  }
  const { reason, details } = outcome.refusal;
  return { ok: false, why: `${reason ?? 'refused'}: ${textOf(details)}`, ...(reason === null ? {} : { reason }) };
}
