import { compile } from '#compiler/index.ts';
import type { Condition } from '#protocol/condition.ts';
import type { Compilation } from '#protocol/compiled.ts';
import type { EventListener } from '#protocol/event.ts';
import type { WorkflowManifest } from '#protocol/generated/manifest.gen.ts';
import type { Graph } from '#protocol/graph.ts';
import type { Response } from '#protocol/response.ts';
import type { Run, RunOptions, RunPorts, Start } from '#protocol/run.ts';
import type { Script } from '#protocol/script.ts';
import type { Worker } from '#protocol/worker.ts';
import { realPorts } from '../run/ports.ts';
import { refusalResponse } from '../run/refusal-response.ts';
import { startRun } from '../run/start-run.ts';
import { checkConditions, checkObject, checkText, checkWorkers } from './check-arguments.ts';

/** The services that an Orchestrator uses. */
export interface OrchestratorServices {
  /** Workers by the names that blocks use; they take precedence over the built-in ones. */
  readonly workers?: Readonly<Record<string, Worker>>;
  readonly conditions?: Readonly<Record<string, Condition>>;
  /** Working directory; by default the current one. */
  readonly directory?: string;
  /** Replaces file system, processes and clock, for tests. */
  readonly ports?: RunPorts;
  readonly script?: Script;
  readonly onEvent?: EventListener;
}

function startOf(graph: Graph, id: string): Start | null {
  const node = graph.nodes.find((candidate) => candidate.id === id);
  if (node !== undefined) return { node: node.id };
  const block = graph.nodes.flatMap(({ blocks }) => blocks).find((candidate) => candidate.id === id);
  return block === undefined ? null : { block: block.id };
}

/** Runs workflows of one parsed manifest in this process. The constructor throws `usage` for arguments of the wrong kind. */
export class Orchestrator {
  readonly #compilation: Compilation;
  readonly #services: OrchestratorServices;

  constructor(manifest: WorkflowManifest, services: OrchestratorServices = {}) {
    checkObject('manifest', manifest, 'a parsed manifest');
    checkObject('services', services);
    checkWorkers(services.workers);
    checkConditions(services.conditions);
    this.#services = services;
    const known = {
      registry: new Set(Object.keys(services.workers ?? {})),
      conditions: new Set(Object.keys(services.conditions ?? {})),
    };
    this.#compilation = compile([{ path: 'workflows.json', text: JSON.stringify(manifest) }], known);
  }

  /**
   * Runs from a node's entry block, or from a block. Resolves with the final Response, also for a manifest with errors
   * (`invalid_graph`) or an unknown id (`unknown_node`); `halted` when only a person can continue it. Rejects only with
   * `usage`, for arguments of the wrong kind.
   */
  async execute(startId: string, options: Pick<RunOptions, 'input' | 'stepMode'> = {}): Promise<Response> {
    const run = this.start(startId, options);
    return 'settled' in run ? run.settled() : run;
  }

  /** Starts a run and returns it, to answer halts, cancel and listen. Returns a Response if nothing could be started. */
  start(startId: string, options: Pick<RunOptions, 'input' | 'stepMode'> = {}): Run | Response {
    checkText('startId', startId);
    if (options.input !== undefined) checkText('options.input', options.input);
    const { workflow, diagnostics } = this.#compilation;
    if (workflow === null) return refusalResponse('invalid_graph', { diagnostics });
    const start = startOf(workflow.graph, startId);
    if (start === null)
      return refusalResponse('unknown_node', { start: startId, nodes: workflow.graph.nodes.map(({ id }) => id) });
    const { workers, conditions, directory, ports, script, onEvent } = this.#services;
    return startRun(
      workflow,
      {
        ...options,
        start,
        ...(workers === undefined ? {} : { workers: new Map(Object.entries(workers)) }),
        ...(conditions === undefined ? {} : { conditions: new Map(Object.entries(conditions)) }),
        ...(script === undefined ? {} : { script }),
        ...(onEvent === undefined ? {} : { onEvent }),
      },
      ports ?? realPorts(directory ?? '.'),
    );
  }
}
