import type { Services } from '#protocol/services.ts';
import { FAILURE, SUCCESS } from '#protocol/signal.ts';
import type { Worker, WorkerResult } from '#protocol/worker.ts';
import { preconditionFailed } from '#protocol/error.ts';
import { type AssembledSlice, assembleSlice, isRequired, sliceNamed } from './assemble-slice.ts';

function sliceOf({ block, contextSlices = {} }: Services) {
  const name = block.contextSlice;
  if (name === null)
    throw preconditionFailed(`${block.id} has no "context_slice". Set it to a context slice of the manifest`);
  const slice = sliceNamed(contextSlices, name);
  if (slice === null) throw preconditionFailed(`the manifest has no context slice "${name}"`);
  return { name, slice };
}

function resultOf({ slice, answered }: AssembledSlice, required: boolean): WorkerResult {
  const { name, text, queries, left_out, failed } = slice;
  const { tokens, tokensSaved } = answered;
  const isEnough = failed.length === 0 || (queries > 0 && !required);
  const meta = { slice: name, queries, tokens, tokens_saved: tokensSaved, left_out };
  return {
    signal: isEnough ? SUCCESS : FAILURE,
    append: [
      ...(queries === 0 ? [] : [{ type: 'CONTEXT_SLICE', content: text, meta }]),
      ...(failed.length === 0
        ? []
        : [
            {
              type: 'CONTEXT_ERROR',
              content: failed.map(({ query, code, message }) => `${query}: ${code}: ${message}`).join('\n'),
              meta: { slice: name, code: failed[0]?.code ?? '', failed },
            },
          ]),
    ],
    stats: { tokens, tokensSaved },
  };
}

/** Runs the block's context slice and appends the answers to the payload. */
export const contextQuery: Worker = {
  sideEffects: 'none',
  execute: async (memory, services, signal) => {
    const { name, slice } = sliceOf(services);
    const { context, taskTitle = null } = services;
    const { worktree } = memory.system;
    if (context === null || context === undefined || worktree === null)
      throw preconditionFailed('this run has no code analysis, because it has no directory to work in');
    const title = taskTitle === null ? null : await taskTitle();
    const order = { name, slice, worktree, values: { memory, taskTitle: title } };
    return resultOf(await assembleSlice(order, context, signal), isRequired(slice));
  },
};
