import { RoboSmithError } from '#protocol/error.ts';
import type { Payload } from '#protocol/payload.ts';
import type { Files, Services } from '#protocol/services.ts';
import { FAILURE, SUCCESS } from '#protocol/signal.ts';
import type { Worker, WorkerResult } from '#protocol/worker.ts';
import { withSlashes } from './answer/info-string.ts';
import { problem, type WriteProblem } from './answer/found.ts';
import { plannedPaths } from './planned-paths.ts';

const failure = (problems: readonly WriteProblem[]): WorkerResult => ({
  signal: FAILURE,
  append: [
    {
      type: 'CHANGE_PLAN_ERROR',
      content: problems
        .map(
          ({ path, reason }) =>
            `${path === '' ? '' : `${JSON.stringify(path)} was rejected, so nothing was planned: `}${reason}`,
        )
        .join('\n'),
      meta: { code: problems[0]?.code ?? 'no_files', refused: problems },
    },
  ],
});

const NOTHING = 'there is no NEW_FILES_IDENTIFIED segment with paths. Write a JSON list, or one path per line';

/**
 * Returns the paths of all NEW_FILES_IDENTIFIED segments in the payload, or a problem if one of these segments is
 * unclear or there are no paths.
 */
function identified(payload: Payload): readonly string[] | WriteProblem {
  const paths = new Set<string>();
  for (const { type, content } of payload) {
    if (type !== 'NEW_FILES_IDENTIFIED') continue;
    const planned = plannedPaths(content);
    if ('unclear' in planned)
      return problem('no_files', '', `${planned.unclear}. Write the new files as a JSON list, or one path per line`);
    if (planned.paths.length === 0) return problem('no_files', '', NOTHING);
    for (const path of planned.paths) paths.add(withSlashes(path));
  }
  return paths.size === 0 ? problem('no_files', '', NOTHING) : [...paths];
}

/** Resolves each path within the worktree. A path that leads out of the worktree becomes a problem in its place. */
async function located(paths: readonly string[], files: Files): Promise<readonly (string | WriteProblem)[]> {
  return Promise.all(
    paths.map((path) =>
      files.locate(path).catch((thrown: unknown) => {
        if (!RoboSmithError.is(thrown, 'unsafe_path')) throw thrown;
        const { why } = thrown.data;
        return problem('unsafe_path', path, typeof why === 'string' ? why : thrown.message);
      }),
    ),
  );
}

async function update(
  { payload }: { readonly payload: Payload },
  { files, changePlan }: Services,
): Promise<WorkerResult> {
  if (files === null)
    throw new RoboSmithError('precondition_failed', "this run can't use files, because it has no directory to work in");
  const paths = identified(payload);
  if ('code' in paths) return failure([paths]);
  const places = await located(paths, files);
  const problems = places.filter((place): place is WriteProblem => typeof place !== 'string');
  if (problems.length > 0) return failure(problems);
  const planned = [...new Set(places.filter((place) => typeof place === 'string'))].sort();
  const isKept = changePlan !== null;
  if (isKept) await changePlan.add(planned);
  const where = isKept
    ? 'Added to the change plan of the session'
    : 'This run has no session, and so no change plan; identified files';
  return {
    signal: SUCCESS,
    append: [
      {
        type: 'CHANGE_PLAN_UPDATED',
        content: [`${where}:`, ...planned].join('\n'),
        meta: { files: planned, session: isKept },
      },
    ],
    exports: { 'plan.new_files': planned },
    stats: { filesPlanned: planned.length },
  };
}

/**
 * The worker `Internal:UpdateChangePlan`. It adds the new files that earlier blocks identified to the session's change
 * plan.
 */
export const updateChangePlan: Worker = { sideEffects: 'idempotent', execute: update };
