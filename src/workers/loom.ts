import { RoboSmithError } from '#protocol/error.ts';
import type { GraphBlock } from '#protocol/graph.ts';
import type { Payload } from '#protocol/payload.ts';
import { FAILURE, SUCCESS } from '#protocol/signal.ts';
import type { Worker, WorkerResult } from '#protocol/worker.ts';
import { type AppliedFile, applyOperations } from './loom/apply-operations.ts';
import { type ParsedOperations, parseOperations } from './loom/parse-operations.ts';
import { describeProblem, type LoomProblem, problem } from './loom/problem.ts';
import { readOperations } from './loom/read-operations.ts';

const ANSWERS: ReadonlySet<string> = new Set(['CODE_OUTPUT', 'DOCUMENTATION_OUTPUT', 'EDIT_OPERATIONS']);

/** Those in the block's `params.operations`, else those of the newest answer. */
function operationsFor({ params }: GraphBlock, payload: Payload): ParsedOperations {
  const { operations } = params;
  if (operations !== undefined) return parseOperations(operations);
  const answer = payload.findLast(({ type }) => ANSWERS.has(type));
  if (answer !== undefined) return readOperations(answer.content);
  const about = { number: null, path: null };
  return { ok: false, problems: [problem('no_operations', about, 'there is no segment with operations')] };
}

const failure = (problems: readonly LoomProblem[]): WorkerResult => ({
  signal: FAILURE,
  append: [
    {
      type: 'LOOM_ERROR',
      content: ['Nothing was written.', ...problems.map(describeProblem)].join('\n'),
      meta: { errors: problems },
    },
  ],
});

const describe = ({ path, status, edits, alreadyThere }: AppliedFile): string =>
  status === 'unchanged'
    ? `${path}: already there, nothing to do`
    : `${path}: ${status}, ${edits} made${alreadyThere === 0 ? '' : `, ${alreadyThere} already there`}`;

const sum = (counts: readonly number[]): number => counts.reduce((total, count) => total + count, 0);

function success(files: readonly AppliedFile[]): WorkerResult {
  const written = files.filter(({ status }) => status !== 'unchanged');
  return {
    signal: SUCCESS,
    append: [
      {
        type: 'FILES_EDITED',
        content: files.map(describe).join('\n'),
        meta: {
          files: files.map(({ path, status, edits, alreadyThere }) => ({
            ...{ path, status, edits },
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

/** Surgical edits: all of a list, or none (spec/workers.md "The Loom"). Idempotent, since an edit that is there is not made again. */
export const loomWorker: Worker = {
  sideEffects: 'idempotent',
  execute: async ({ payload }, { files, block, outbound = null }) => {
    if (files === null)
      throw new RoboSmithError('precondition_failed', 'no files here: this run has no directory to work in');
    const parsed = operationsFor(block, payload);
    if (!parsed.ok) return failure(parsed.problems);
    const applied = await applyOperations(parsed.operations, { files, access: block.access, outbound });
    return applied.ok ? success(applied.files) : failure(applied.problems);
  },
};
