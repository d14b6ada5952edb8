import { findSandboxMaker } from '#io/sandbox/probe.ts';
import { mostApprovals } from '#machines/run/most-approvals.ts';
import { indexGraph } from '#machines/run/graph-index.ts';
import { leastApprovals } from '#protocol/agent-flags.ts';
import type { Action, Graph, GraphBlock, GraphNode } from '#protocol/graph.ts';
import type { FramePath, NodeId } from '#protocol/id.ts';
import type { JsonObject } from '#protocol/json.ts';
import type { RunOptions, Start } from '#protocol/run.ts';
import { missingSandbox } from '#workers/index.ts';

const nodesOf = (action: Action, graph: Graph): readonly NodeId[] => {
  switch (action.kind) {
    case 'call':
      return [action.node];
    case 'fork':
      return action.nodes;
    case 'jump':
      return graph.nodes.filter(({ blocks }) => blocks.some(({ id }) => id === action.target)).map(({ id }) => id);
    case 'return':
    case 'halt':
      return [];
  }
};

/** Returns the nodes that a run from this start can enter. */
function nodesFrom(graph: Graph, start: Start): readonly GraphNode[] {
  const first =
    'node' in start ? start.node : graph.nodes.find(({ blocks }) => blocks.some(({ id }) => id === start.block))?.id;
  const entered = new Set(first === undefined ? [] : [first]);
  // The set grows while it is walked.
  for (const id of entered)
    for (const { transitions } of graph.nodes.find((node) => node.id === id)?.blocks ?? [])
      for (const { action } of transitions) for (const next of nodesOf(action, graph)) entered.add(next);
  return graph.nodes.filter(({ id }) => entered.has(id));
}

const isOn = ({ sandbox }: JsonObject): boolean => sandbox === true || sandbox === 'TRUE';

/** Returns whether a block, or its evidence, runs a command that the manifest puts into a sandbox. */
const hasSandboxedCommand = ({ worker, params, evidence }: GraphBlock, { workers }: Graph): boolean =>
  (worker === 'Internal:Command' && isOn(params)) ||
  workers.some(({ name, kind, settings }) => name === worker && kind === 'command' && isOn(settings)) ||
  evidence.some((one) => one.kind === 'command' && one.sandbox === true);

/**
 * Returns why a run can't start: it needs a sandbox, and this machine can't make one. Null if it can. A caller's
 * approvals, which may lower those of a block, are not taken into account.
 */
export async function sandboxProblem(
  graph: Graph,
  { start, approvals = 'all' }: Pick<RunOptions, 'start' | 'approvals'>,
): Promise<string | null> {
  const index = indexGraph(graph);
  for (const { id: node, blocks } of nodesFrom(graph, start))
    for (const block of blocks) {
      const definition = graph.workers.find(({ name }) => name === block.worker);
      if (definition?.kind === 'agent') {
        const most = leastApprovals([approvals, mostApprovals(index, { node, frame: '/' as FramePath })]);
        const missing = missingSandbox(definition, block, most, await findSandboxMaker());
        if (missing !== null) return `${block.id}: ${missing} Nothing was run.`;
      }
      if (!hasSandboxedCommand(block, graph)) continue;
      const probe = await findSandboxMaker();
      if (!probe.ok) return `${block.id} has "sandbox": true, but ${probe.problem}. ${probe.advice} Nothing was run.`;
    }
  return null;
}
