import { executeAttempt } from '#actors/run/index.ts';
import { indexGraph } from '#machines/run/graph-index.ts';
import type { Graph, WorkerDefinition } from '#protocol/graph.ts';
import type { HaltId, RunId } from '#protocol/id.ts';
import type { Answer } from '#protocol/response.ts';
import type { FindWorker, RunContext, RunPorts, StepOutcome, StepSpec } from '#protocol/run.ts';
import type { Services } from '#protocol/services.ts';

export interface InMemoryParts {
  readonly runId: RunId;
  readonly graph: Graph;
  readonly ports: RunPorts;
  readonly findWorker: FindWorker;
  readonly definitionOf: (name: string) => WorkerDefinition | null;
}

const nobody = ({ worker }: StepSpec): StepOutcome => ({
  ok: false,
  started: false,
  sideEffects: 'none',
  failure: {
    reason: 'worker_error',
    details: {
      worker,
      message: `${worker} can't be executed here: give it an answer in a script, or use a worker of another kind`,
    },
    errorType: null,
  },
});

/** Executes steps in this process and remembers nothing: a run ends with its process. */
export function createInMemoryContext({ runId, graph, ports, findWorker, definitionOf }: InMemoryParts): RunContext {
  const index = indexGraph(graph);
  const waiting = new Map<HaltId, (answer: Answer) => void>();
  return {
    runId,
    step: (_key, spec, signal, onProgress) => {
      const { worker: name, role, memory } = spec;
      const block = index.block(memory.system.block);
      const worker = findWorker(name, role === 'block' ? block.id : null);
      if (worker === null) return Promise.resolve(nobody(spec));
      const definition = definitionOf(name);
      const services: Services = {
        clock: ports.clock,
        files: ports.files,
        processes: ports.processes,
        commands: graph.commands,
        block,
        definition,
        progress: onProgress,
      };
      return executeAttempt({ name, worker, memory, services, block, definition, clock: ports.clock }, signal);
    },
    ask: (_key, { id }, signal) =>
      new Promise((resolve) => {
        waiting.set(id, resolve);
        signal.addEventListener('abort', () => waiting.delete(id), { once: true });
      }),
    answer: (id, answer) => {
      waiting.get(id)?.(answer);
      waiting.delete(id);
    },
  };
}
