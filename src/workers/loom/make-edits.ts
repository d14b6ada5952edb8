import type { Access } from '#protocol/graph.ts';
import type { Outbound } from '#protocol/outbound.ts';
import type { Files } from '#protocol/services.ts';
import { FAILURE, SUCCESS } from '#protocol/signal.ts';
import type { WorkerResult } from '#protocol/worker.ts';
import { type AppliedFile, applyOperations } from './apply-operations.ts';
import type { ParsedOperations } from './parse-operations.ts';
import { asData, describeProblems, type LoomProblem } from './problem.ts';

/** Returns a FAILURE whose segment tells the model how to correct its edits. */
export const editFailure = (problems: readonly LoomProblem[]): WorkerResult => ({
  signal: FAILURE,
  append: [
    {
      type: 'LOOM_ERROR',
      content: `Nothing was written.\n${describeProblems(problems)}`,
      meta: { errors: asData(problems) },
    },
  ],
});

const describe = ({ path, status, edits, alreadyThere }: AppliedFile): string =>
  status === 'unchanged'
    ? `${path}: already up to date`
    : `${path}: ${status}, ${edits} made${alreadyThere === 0 ? '' : `, ${alreadyThere} already present`}`;

const sum = (counts: readonly number[]): number => counts.reduce((total, count) => total + count, 0);

/** Returns a SUCCESS whose segment lists what was done to each file. */
export function editSuccess(files: readonly AppliedFile[]): WorkerResult {
  const written = files.filter(({ status }) => status !== 'unchanged');
  return {
    signal: SUCCESS,
    append: [
      {
        type: 'FILES_EDITED',
        content: files.length === 0 ? 'no changes were needed' : files.map(describe).join('\n'),
        meta: {
          files: files.map(({ path, status, edits, alreadyThere }) => ({
            path,
            status,
            edits,
            already_there: alreadyThere,
          })),
        },
      },
    ],
    stats: {
      filesWritten: written.length,
      editsMade: sum(files.map(({ edits }) => edits)),
      editsAlreadyThere: sum(files.map(({ alreadyThere }) => alreadyThere)),
      files: written.map(({ path }) => path),
    },
  };
}

/** Applies parsed edits and returns the outcome as a worker result: either all edits are made, or none. */
export async function makeEdits(
  parsed: ParsedOperations,
  files: Files,
  access: Access,
  outbound: Outbound | null,
): Promise<WorkerResult> {
  if (!parsed.ok) return editFailure(parsed.problems);
  const applied = await applyOperations(parsed.operations, { files, access, outbound });
  return applied.ok ? editSuccess(applied.files) : editFailure(applied.problems);
}
