import { RoboSmithError } from '#protocol/error.ts';
import type { GraphBlock } from '#protocol/graph.ts';
import type { Payload } from '#protocol/payload.ts';
import type { Worker } from '#protocol/worker.ts';
import { makeEdits } from './make-edits.ts';
import { type ParsedOperations, parseOperations } from './parse-operations.ts';
import { problem } from './problem.ts';
import { readOperations } from './read-operations.ts';

const ANSWERS: ReadonlySet<string> = new Set(['CODE_OUTPUT', 'DOCUMENTATION_OUTPUT', 'EDIT_OPERATIONS']);

/** Returns the operations in the block's `params.operations`, or else those in the newest answer. */
function operationsFor({ params }: GraphBlock, payload: Payload): ParsedOperations {
  const { operations } = params;
  if (operations !== undefined) return parseOperations(operations);
  const answer = payload.findLast(({ type }) => ANSWERS.has(type));
  if (answer !== undefined) return readOperations(answer.content);
  const about = { number: null, path: null };
  return { ok: false, problems: [problem('no_operations', about, 'the payload has no segment with edit operations')] };
}

/**
 * The worker `Internal:Loom`. It applies a list of edits: all or none. It is idempotent, because it does not repeat
 * edits that are already made.
 */
export const loomWorker: Worker = {
  sideEffects: 'idempotent',
  execute: async ({ payload }, { files, block, outbound = null }) => {
    if (files === null)
      throw new RoboSmithError(
        'precondition_failed',
        "this run can't use files, because it has no directory to work in",
      );
    return makeEdits(operationsFor(block, payload), files, block.access, outbound);
  },
};
