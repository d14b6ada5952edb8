import type { Action, Graph, GraphBlock, GraphNode, Transition, WorkerDefinition } from '#protocol/graph.ts';
import type { JsonValue } from '#protocol/json.ts';

/** The values of all fields that affect runs, by the field's name. Positions in files are left out. */
export type Description = ReadonlyMap<string, JsonValue>;

type Rename = (id: string) => string;

const plain = (value: unknown): JsonValue => JSON.parse(JSON.stringify(value)) as JsonValue;

const sections = (values: Readonly<Record<string, unknown>>): readonly (readonly [string, JsonValue])[] =>
  Object.entries(values).map(([field, value]) => [field, plain(value)] as const);

export const describeGraph = (graph: Graph, rename: Rename): Description =>
  new Map<string, JsonValue>([
    ['entry', graph.entry === null ? null : rename(graph.entry)],
    ['max_run_steps', graph.limits.maxRunSteps],
    ['max_depth', graph.limits.maxDepth],
    ['max_parallel', graph.limits.maxParallel],
    ...Object.entries(graph.commands).map(([name, argv]) => [`command ${name}`, plain(argv)] as const),
    ...Object.entries(graph.contextSlices).map(([name, slice]) => [`context slice ${name}`, slice] as const),
    ...sections({ worktree: graph.worktree, budgets: graph.budgets, pools: graph.pools }),
  ]);

export const describeWorker = (worker: WorkerDefinition): Description =>
  new Map<string, JsonValue>([
    ...sections(worker.settings),
    ['kind', worker.kind],
    ['persona', worker.persona],
    ['output_type', worker.outputType],
    ['side_effects', worker.sideEffects],
  ]);

export const describeNode = (node: GraphNode, rename: Rename): Description =>
  new Map<string, JsonValue>([
    ['entry_block', rename(node.entryBlock)],
    ['context_inheritance', node.contextInheritance],
    ['static_memory', node.staticMemory],
    ['max_steps', node.maxSteps],
    ['approvals', node.approvals ?? null],
  ]);

export const describeBlock = (block: GraphBlock, rename: Rename): Description =>
  new Map<string, JsonValue>([
    ['worker', block.worker],
    ['contract', block.contract],
    ['artifact', plain(block.artifact)],
    ['context_slice', block.contextSlice],
    [
      'payload_merge_strategy',
      plain(block.mergeStrategy.map((one) => (one.kind === 'block' ? { ...one, block: rename(one.block) } : one))),
    ],
    ['gate', block.gate],
    ['timeout_ms', block.timeoutMs],
    ['side_effects', block.sideEffects],
    ['access', plain(block.access)],
    ['recovery', plain(block.recovery)],
    ['evidence', plain(block.evidence)],
    ['validation', plain(block.validation)],
    ['answer', plain(block.answer ?? null)],
    ['params', block.params],
    ['next', block.next === null ? null : rename(block.next)],
    ...rowsBySignal(block, rename),
  ]);

/** Groups a block's rows by signal. Only the order of rows with the same signal matters. */
function rowsBySignal(block: GraphBlock, rename: Rename): readonly (readonly [string, JsonValue])[] {
  const rows = new Map<string, string[]>();
  for (const row of block.transitions) {
    const texts = rows.get(row.signal) ?? [];
    rows.set(row.signal, [...texts, rowText(row, rename)]);
  }
  return [...rows];
}

function rowText({ action, condition, means }: Transition, rename: Rename): string {
  const args = condition?.args.map((arg) => JSON.stringify(arg)).join(', ') ?? '';
  const guard = condition === null ? '' : ` if ${condition.id}(${args})`;
  return `${actionText(action, rename)}${guard}${means === undefined ? '' : `, means ${JSON.stringify(means)}`}`;
}

function actionText(action: Action, rename: Rename): string {
  const back = (target: string | null): string => (target === null ? '' : `:${rename(target)}`);
  switch (action.kind) {
    case 'jump':
      return `JUMP:${rename(action.target)}`;
    case 'call':
      return `CALL:${rename(action.node)}${back(action.returnTo)}`;
    case 'fork':
      return `FORK:${action.nodes.map(rename).join(',')}${back(action.returnTo)}`;
    case 'return':
      return 'RETURN';
    case 'halt':
      return 'HALT_AND_FLAG';
  }
}
