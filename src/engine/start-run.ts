import { startRun as startRunActor } from '#actors/run/index.ts';
import { NO_ARTIFACT } from '#machines/run/assemble-memory.ts';
import type { CompiledWorkflow } from '#protocol/compiled.ts';
import type { RunId } from '#protocol/id.ts';
import type { Run, RunOptions, RunPorts } from '#protocol/run.ts';
import { createInMemoryContext } from './backends/in-memory.ts';
import { definitionsOf, type ScriptReach, workerFinder } from './find-worker.ts';
import { artifactReader } from './read-artifact.ts';

/** Starts a run in this process. The graph has been checked, so `options.start` must name a node or block of it. */
export function startRun(workflow: CompiledWorkflow, options: RunOptions, ports: RunPorts, reach: ScriptReach = 'where_it_answers'): Run {
  const { graph } = workflow;
  const id = `r${ports.newId(6)}` as RunId;
  const findWorker = workerFinder(graph, options, reach);
  const definitionOf = definitionsOf(graph);
  const context = createInMemoryContext({ runId: id, graph, ports, findWorker, definitionOf, onProgress: () => undefined });
  return startRunActor(workflow, options, {
    id,
    traceId: ports.newId(16),
    ports,
    context,
    findWorker,
    definitionOf,
    readArtifact: ports.files === null ? () => Promise.resolve(NO_ARTIFACT) : artifactReader(ports.files),
    whereabouts: { session: null, task: null, worktree: ports.files?.root ?? null },
  });
}
