import type { Attempt } from '#actors/run/index.ts';
import { indexGraph } from '#machines/run/graph-index.ts';
import type { Graph, WorkerDefinition } from '#protocol/graph.ts';
import type { FindWorker, RunPorts, StepOutcome, StepSpec } from '#protocol/run.ts';
import type { Logs, Services } from '#protocol/services.ts';

/** What executing a step needs beside the step itself. */
export interface StepParts {
  readonly graph: Graph;
  readonly ports: RunPorts;
  readonly findWorker: FindWorker;
  readonly definitionOf: (name: string) => WorkerDefinition | null;
  /** Where whole logs are kept; null: nowhere. */
  readonly logs: Logs | null;
}

/** A step as something that can be executed; null when nobody here executes it. */
export type PrepareStep = (spec: StepSpec, onProgress: (text: string) => void) => Attempt | null;

export const nobody = ({ worker }: StepSpec): StepOutcome => ({
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

/** Of a step that can't be executed whoever does it; null: it can. */
export const refusal = ({ refused }: StepSpec): StepOutcome | null =>
  refused === undefined ? null : { ok: false, started: false, sideEffects: 'none', failure: refused };

export function stepPreparer({ graph, ports, findWorker, definitionOf, logs }: StepParts): PrepareStep {
  const index = indexGraph(graph);
  const { clock, files, processes, changePlan = null } = ports;
  return ({ worker: name, role, memory }, progress) => {
    const block = index.block(memory.system.block);
    const worker = findWorker(name, role === 'block' ? block.id : null);
    if (worker === null) return null;
    const definition = definitionOf(name);
    const services: Services = {
      ...{ clock, files, processes, logs, changePlan },
      commands: graph.commands,
      block,
      definition,
      progress,
    };
    return { name, worker, memory, services, block, definition, clock };
  };
}
