import type { Graph, WorkerDefinition } from '#protocol/graph.ts';
import type { RunPorts } from '#protocol/run.ts';
import { assembleSlice, BUILT_IN_WORKERS, isRequired, sliceNamed } from '#workers/index.ts';
import { NO_CONTEXT_SERVER } from '../backends/prepare-step.ts';

/** Commands and built-in workers see no memory; `Internal:ContextQuery` runs its slice itself. */
const seesMemory = (worker: string, definition: WorkerDefinition | null): boolean =>
  definition?.kind !== 'command' && !BUILT_IN_WORKERS.has(worker);

/** Runs the context slices of blocks for their memory. Returns null in `simulate`, where no code can be analysed. */
export function sliceReader(
  graph: Graph,
  { files, context = NO_CONTEXT_SERVER, taskTitle }: Pick<RunPorts, 'files' | 'context' | 'taskTitle'>,
  definitionOf: (name: string) => WorkerDefinition | null,
) {
  if (files === null) return null;
  const worktree = files.root;
  return async (
    { contextSlice: name, worker }: Graph['nodes'][number]['blocks'][number],
    memory: Parameters<NonNullable<ReturnType<typeof BUILT_IN_WORKERS.get>>['execute']>[0],
    signal: AbortSignal,
  ) => {
    const slice = name === null ? null : sliceNamed(graph.contextSlices, name);
    if (name === null || slice === null || !seesMemory(worker, definitionOf(worker))) return null;
    const { task } = memory.system;
    const title = task === null || taskTitle === undefined ? null : await taskTitle(task);
    const order = { name, slice, worktree, values: { memory, taskTitle: title } };
    const assembled = await assembleSlice(order, context, signal);
    return { slice: assembled.slice, isRequired: isRequired(slice) };
  };
}

/** Returns whether a run of this graph uses code analysis. */
export const usesContext = ({ nodes }: Graph): boolean =>
  nodes.some(({ blocks }) =>
    blocks.some(({ contextSlice, worker }) => contextSlice !== null || worker === 'Internal:ContextQuery'),
  );
