import { compile } from '#compiler/index.ts';
import type { CompiledWorkflow } from '#protocol/compiled.ts';
import type { Graph } from '#protocol/graph.ts';
import { TASK_SOURCE } from '../registry/registry-gaps.ts';

const to = (signal: string, action: string) => ({ on_signal: `SIGNAL:${signal}`, action });

/** Returns a manifest with one block for one worker; anything but success halts for a person. */
const manifestOf = (worker: string): string =>
  JSON.stringify({
    version: 1,
    entry: 'Task',
    nodes: {
      Task: {
        entry_block: 'Work',
        blocks: { Work: { worker, transitions: [to('SUCCESS', 'RETURN'), to('FAIL_DEFAULT', 'HALT_AND_FLAG')] } },
      },
    },
  });

/** Returns the flow of a task that names a worker or a person; null if the worker's name is not valid in a manifest. */
export function taskWorkflow(worker: string, commands: Graph['commands']): CompiledWorkflow | null {
  const source = { path: TASK_SOURCE, text: manifestOf(worker) };
  return compile([source], { commands, registry: new Set([worker]) }).workflow;
}
