import { compile } from '#compiler/index.ts';
import type { CompiledWorkflow } from '#protocol/compiled.ts';
import type { Graph } from '#protocol/graph.ts';
import { TASK_SOURCE } from '../registry/task-source.ts';

const to = (signal: string, action: string) => ({ on_signal: `SIGNAL:${signal}`, action });

/** One block of one worker; what is no success waits for a person (spec/tasks.md "Dispatch"). */
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

/** The flow of a task that names a worker, or a person; null: no manifest can name this worker. */
export function taskWorkflow(worker: string, commands: Graph['commands']): CompiledWorkflow | null {
  const source = { path: TASK_SOURCE, text: manifestOf(worker) };
  return compile([source], { commands, registry: new Set([worker]) }).workflow;
}
