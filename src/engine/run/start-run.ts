import { startRun as startRunActor } from '#actors/run/index.ts';
import { NO_ARTIFACT } from '#machines/run/assemble-memory.ts';
import type { CompiledWorkflow } from '#protocol/compiled.ts';
import type { Graph } from '#protocol/graph.ts';
import type { RunId } from '#protocol/id.ts';
import type { Response } from '#protocol/response.ts';
import type { FindWorker, Run, RunOptions, RunPorts, Start } from '#protocol/run.ts';
import type { ScriptCounts } from '#workers/index.ts';
import { createInMemoryContext } from '../backends/in-memory.ts';
import { inputProblem } from './check-inputs.ts';
import { evidenceFinder } from './find-evidence.ts';
import { definitionsOf, reachable, type ScriptReach, workerFinder } from './find-worker.ts';
import { artifactReader } from './read-artifact.ts';
import { sliceReader } from './read-slice.ts';
import { refusalResponse } from './refusal-response.ts';

const knows = ({ nodes }: Graph, start: Start): boolean =>
  'node' in start
    ? nodes.some(({ id }) => id === start.node)
    : nodes.some(({ blocks }) => blocks.some(({ id }) => id === start.block));

/** Returns a run that ended before it started. */
const settledRun = (response: Response): Run => ({
  id: '' as RunId,
  settled: () => Promise.resolve(response),
  halts: () => [],
  answer: () => ({ accepted: false, why: 'unknown_halt', allowed: [] }),
  cancel: () => undefined,
  interrupt: () => undefined,
  pause: () => undefined,
  release: () => undefined,
  subscribe: () => () => undefined,
});

/** Starts a run in this process. Its Response has `unknown_node` if the graph has no such node or block,
 * and `invalid_input` if a declared input is missing or wrong. */
export function startRun(
  workflow: CompiledWorkflow,
  options: RunOptions,
  ports: RunPorts,
  reach: ScriptReach = 'where_it_answers',
  around: (find: FindWorker) => FindWorker = (find) => find,
): Run {
  const { graph } = workflow;
  if (!knows(graph, options.start))
    return settledRun(refusalResponse('unknown_node', { ...options.start }, options.source));
  const problem = inputProblem(graph, options.input);
  if (problem !== null) return settledRun(refusalResponse('invalid_input', problem, options.source));
  const id = `r${ports.newId(6)}` as RunId;
  const counts: ScriptCounts = new Map();
  const findWorker = around(workerFinder(graph, options, reach, counts, reachable(ports)));
  const findEvidence = evidenceFinder(options, reach, counts);
  const definitionOf = definitionsOf(graph);
  const context = createInMemoryContext(id, {
    graph,
    ports,
    findWorker,
    findEvidence,
    definitionOf,
    approvals: options.approvals,
  });
  return startRunActor(workflow, options, {
    id,
    traceId: ports.newId(16),
    ports,
    context,
    findWorker,
    definitionOf,
    readArtifact:
      ports.files === null ? () => Promise.resolve(NO_ARTIFACT) : artifactReader(ports.files, ports.outbound ?? null),
    readSlice: sliceReader(graph, ports, definitionOf),
    whereabouts: { session: null, task: null, worktree: ports.files?.root ?? null },
  });
}
