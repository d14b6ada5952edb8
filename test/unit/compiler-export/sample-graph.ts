import type { CompiledWorkflow } from '#protocol/compiled.ts';
import type { Action, ConditionRef, Graph, GraphBlock, GraphNode } from '#protocol/graph.ts';
import type { BlockId, NodeId, Signal } from '#protocol/id.ts';

interface SampleRow {
  readonly signal: string;
  readonly action: string;
  readonly condition?: ConditionRef;
}

type SampleBlock = { readonly rows: readonly SampleRow[] } & Partial<
  Omit<GraphBlock, 'transitions' | 'id' | 'name' | 'node'>
>;

/** Rows by node and block, with each action in its normal form. */
export type Sample = Readonly<Record<string, Readonly<Record<string, SampleBlock>>>>;

const origin = { file: 'workflows.json', line: 1, column: 1, pointer: '' };

export function sampleGraph(sample: Sample, overrides: Partial<Graph> = {}): Graph {
  const nodes = Object.entries(sample).map(([id, blocks]) => sampleNode(id, blocks));
  return {
    entry: nodes[0]?.id ?? null,
    limits: { maxRunSteps: 10000, maxDepth: 256, maxParallel: 4 },
    nodes,
    workers: [],
    commands: {},
    contextSlices: {},
    worktree: {},
    budgets: {},
    pools: {},
    ...overrides,
  };
}

export const sampleWorkflow = (graph: Graph): CompiledWorkflow => ({
  graph,
  frame: { id: 'frame', initial: '@enter' },
  config: (node) => ({ id: node, initial: '@enter', states: { '@enter': {} } }),
});

function sampleNode(id: string, blocks: Readonly<Record<string, SampleBlock>>): GraphNode {
  const names = Object.keys(blocks);
  return {
    id: id as NodeId,
    entryBlock: `${id}__${names[0] ?? ''}` as BlockId,
    contextInheritance: true,
    staticMemory: {},
    maxSteps: 128,
    blocks: Object.entries(blocks).map(([name, block], index) =>
      sampleBlock(id, name, block, names[index + 1] ?? null),
    ),
    origin,
  };
}

function sampleBlock(node: string, name: string, { rows, ...rest }: SampleBlock, next: string | null): GraphBlock {
  return {
    id: `${node}__${name}` as BlockId,
    name,
    node: node as NodeId,
    worker: 'Worker:Any',
    contract: null,
    artifact: [],
    contextSlice: null,
    mergeStrategy: [{ kind: 'all' }],
    gate: false,
    timeoutMs: null,
    sideEffects: null,
    access: { mode: 'partial', paths: [] },
    recovery: {},
    evidence: [],
    validation: null,
    params: {},
    next: next === null ? null : (`${node}__${next}` as BlockId),
    origin,
    ...rest,
    transitions: rows.map((row, index) => ({
      row: index,
      signal: `SIGNAL:${row.signal}` as Signal,
      condition: row.condition ?? null,
      action: parseNormal(row.action),
      text: row.action,
    })),
  };
}

function parseNormal(text: string): Action {
  const [kind = '', first = '', second] = text.split(':');
  const returnTo = second === undefined ? null : (second as BlockId);
  if (kind === 'JUMP') return { kind: 'jump', target: first as BlockId };
  if (kind === 'CALL') return { kind: 'call', node: first as NodeId, returnTo };
  if (kind === 'FORK') return { kind: 'fork', nodes: first.split(',') as NodeId[], returnTo };
  return kind === 'RETURN' ? { kind: 'return' } : { kind: 'halt' };
}
