import type { Action, Graph, GraphBlock, GraphNode, Transition, WorkerDefinition } from '#protocol/graph.ts';
import type { JsonValue } from '#protocol/json.ts';
import { ruleText } from '#protocol/rule.ts';

/** The values of all fields that affect runs, by the field's name. Positions in files are left out. */
export type Description = ReadonlyMap<string, JsonValue>;

type Rename = (id: string) => string;

const plain = (value: unknown): JsonValue => JSON.parse(JSON.stringify(value)) as JsonValue;

const sections = (values: Readonly<Record<string, unknown>>): readonly (readonly [string, JsonValue])[] =>
  Object.entries(values).map(([field, value]) => [field, plain(value)] as const);

type Fields = readonly (readonly [field: string, value: JsonValue])[];

/**
 * The fields of each key of an item, without the keys that have no effect on runs. A key that is added to the graph has to
 * be added here: the compiler refuses an incomplete table.
 */
type Behaviour<Item, Effectless extends keyof Item> = Readonly<Record<Exclude<keyof Item, Effectless>, Fields>>;

const described = (behaviour: Readonly<Record<string, Fields>>): Description =>
  new Map(Object.values(behaviour).flat());

export const describeGraph = (graph: Graph, rename: Rename): Description =>
  described({
    entry: [['entry', graph.entry === null ? null : rename(graph.entry)]],
    limits: [
      ['max_run_steps', graph.limits.maxRunSteps],
      ['max_depth', graph.limits.maxDepth],
      ['max_parallel', graph.limits.maxParallel],
    ],
    inputs: [['inputs', plain(graph.inputs ?? null)]],
    rules: [['rules', (graph.rules ?? []).map(ruleText)]],
    commands: Object.entries(graph.commands).map(([name, argv]) => [`command ${name}`, plain(argv)] as const),
    allowEmpty: (graph.allowEmpty ?? []).map((name) => [`command ${name} may run no test`, true] as const),
    contextSlices: Object.entries(graph.contextSlices).map(
      ([name, slice]) => [`context slice ${name}`, slice] as const,
    ),
    worktree: [['worktree', graph.worktree]],
    budgets: [['budgets', graph.budgets]],
    retention: [['retention', graph.retention ?? null]],
    pools: [['pools', graph.pools]],
    // Nodes and workers are compared one by one.
  } satisfies Behaviour<Graph, 'nodes' | 'workers'>);

export const describeWorker = (worker: WorkerDefinition): Description =>
  described({
    settings: sections(worker.settings),
    kind: [['kind', worker.kind]],
    persona: [['persona', worker.persona]],
    outputType: [['output_type', worker.outputType]],
    sideEffects: [['side_effects', worker.sideEffects]],
  } satisfies Behaviour<WorkerDefinition, 'name' | 'origin'>);

export const describeNode = (node: GraphNode, rename: Rename): Description =>
  described({
    entryBlock: [['entry_block', rename(node.entryBlock)]],
    contextInheritance: [['context_inheritance', node.contextInheritance]],
    staticMemory: [['static_memory', node.staticMemory]],
    maxSteps: [['max_steps', node.maxSteps]],
    approvals: [['approvals', node.approvals ?? null]],
  } satisfies Behaviour<GraphNode, 'id' | 'blocks' | 'origin'>);

/** The limit of rejections of a block that sets none. */
const DEFAULT_REJECTIONS = 3;

export const describeBlock = (block: GraphBlock, rename: Rename): Description =>
  described({
    worker: [['worker', block.worker]],
    contract: [['contract', block.contract]],
    artifact: [['artifact', plain(block.artifact)]],
    contextSlice: [['context_slice', block.contextSlice]],
    mergeStrategy: [
      [
        'payload_merge_strategy',
        plain(block.mergeStrategy.map((one) => (one.kind === 'block' ? { ...one, block: rename(one.block) } : one))),
      ],
    ],
    gate: [['gate', block.gate]],
    maxRejections: [['max_rejections', block.gate ? (block.maxRejections ?? DEFAULT_REJECTIONS) : null]],
    timeoutMs: [['timeout_ms', block.timeoutMs]],
    sideEffects: [['side_effects', block.sideEffects]],
    access: [['access', plain(block.access)]],
    recovery: [['recovery', plain(block.recovery)]],
    evidence: [['evidence', plain(block.evidence)]],
    validation: [['validation', plain(block.validation)]],
    answer: [['answer', plain(block.answer ?? null)]],
    params: [['params', block.params]],
    next: [['next', block.next === null ? null : rename(block.next)]],
    transitions: rowsBySignal(block, rename),
  } satisfies Behaviour<GraphBlock, 'id' | 'name' | 'node' | 'origin'>);

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
