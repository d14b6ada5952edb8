import type { CompiledWorkflow, MachineConfig } from '#protocol/compiled.ts';
import type { Graph, GraphNode } from '#protocol/graph.ts';
import type { NodeId } from '#protocol/id.ts';
import type { JsonObject } from '#protocol/json.ts';
import { emitNode } from './emit-node.ts';

const nodeState = ({ id }: GraphNode): [string, JsonObject] => [
  id,
  {
    invoke: {
      id: 'body',
      src: id,
      input: { $body: true },
      onDone: [
        { guard: 'bodyJumped', target: '@dispatch', actions: ['leaveNode'] },
        { target: '@done', actions: ['leaveNode'] },
      ],
    },
  },
];

/** A frame as a machine: its states are the nodes it can be; a JUMP into another node is a transition between them, so loops need constant stack. */
const emitFrame = (graph: Graph): MachineConfig => ({
  id: '@frame',
  context: '$frame',
  output: '$output',
  initial: '@dispatch',
  states: {
    '@dispatch': {
      entry: ['becomeNode', 'dispatch'],
      on: Object.fromEntries(graph.nodes.map(({ id }) => [`@node:${id}`, { target: id }])),
    },
    ...Object.fromEntries(graph.nodes.map(nodeState)),
    '@done': { type: 'final' },
  },
});

/** Checked graph to machine configs: plain JSON, made when first asked for. */
export function emit(graph: Graph): CompiledWorkflow {
  const nodes = new Map(graph.nodes.map((node) => [node.id, node]));
  const configs = new Map<NodeId, MachineConfig>();
  let frame: MachineConfig | null = null;
  return {
    graph,
    get frame() {
      return (frame ??= emitFrame(graph));
    },
    config: (id) => {
      const known = configs.get(id);
      if (known !== undefined) return known;
      const node = nodes.get(id);
      if (node === undefined) throw new RangeError(`the graph has no node "${id}"`);
      const config = emitNode(node);
      configs.set(id, config);
      return config;
    },
  };
}
