import type { JsonObject, JsonValue } from '#protocol/json.ts';
import { buildScript, SIGNALS, type WrittenBlock } from './build-script.ts';
import type { BlockPlan, ConditionPlan, NodePlan, Plan, PolicyPlan, RowPlan } from './plan.ts';

const at = <Item>(items: readonly Item[], index: number): Item => items[index % items.length] as Item;

/** The names that a generated block can refer to. */
interface Surroundings {
  readonly nodes: readonly string[];
  /** The block ids of each node. */
  readonly blocks: readonly (readonly string[])[];
  readonly node: number;
}

export interface Workflow {
  readonly manifest: JsonObject;
  readonly script: JsonObject;
  readonly start: string;
  readonly stepMode: boolean;
  readonly input: string | null;
}

const ROW_SIGNALS = ['SUCCESS', ...SIGNALS, 'FAIL_DEFAULT', 'FAIL_DEFAULT', 'FAIL_DEFAULT', 'SUCCESS'] as const;

/**
 * Returns a jump target: mostly a block of the same node by its short name, sometimes its id with the prefix `Block:`,
 * sometimes the id of any block.
 */
const targetOf = (target: number, { blocks, node }: Surroundings): string => {
  const own = at(at(blocks, node), target);
  if (target < 8) return own.split('__')[1] ?? '';
  return target === 8 ? `Block:${own}` : at(at(blocks, target), target);
};

const nodeRef = (index: number, { nodes }: Surroundings): string =>
  index === 11 ? `Node:${at(nodes, index)}` : at(nodes, index);

/** Number of branches of a wide FORK, above the 16 from which the engine may join branches differently. */
const WIDE = 18;

const branchesOf = ({ action, nodes }: RowPlan): readonly number[] =>
  action === 70 ? Array.from({ length: WIDE }, (_, index) => at(nodes, index)) : nodes;

const actionOf = (row: RowPlan, around: Surroundings): string => {
  const address = row.address === null ? '' : `:${targetOf(row.address, around)}`;
  if (row.action < 30) return `JUMP:${targetOf(row.target, around)}`;
  if (row.action < 52) return `CALL:${nodeRef(at(row.nodes, 0), around)}${address}`;
  if (row.action < 72)
    return `FORK:${branchesOf(row)
      .map((index) => nodeRef(index, around))
      .join(',')}${address}`;
  return row.action < 96 ? 'RETURN' : 'HALT_AND_FLAG';
};

const returnedSignal = (value: number): string => `SIGNAL:${at(['SUCCESS', 'FAILURE', 'AGAIN', 'ERROR'], value)}`;

const conditionOf = ({ id, value }: ConditionPlan): JsonObject => {
  switch (id) {
    case 0:
      return { id: 'exports.equals', args: ['k.a', value] };
    case 1:
      return { id: 'exports.truthy', args: ['k.b'] };
    case 2:
      return { id: 'payload.has_type', args: ['B'] };
    case 3:
      return { id: 'response.success' };
    case 4:
      return { id: 'attempt.less_than', args: [value + 1] };
    case 7:
      return { id: 'returned.all', args: [returnedSignal(value)] };
    case 8:
      return { id: 'returned.any', args: [returnedSignal(value)] };
    case 9:
      return { id: 'returned.count', args: [returnedSignal(value), value + 1] };
    default:
      return { id: 'visits.less_than', args: [value + 1] };
  }
};

const tableOf = (block: BlockPlan, around: Surroundings): readonly JsonObject[] => {
  const rows = block.rows.map((row) => rowOf(row, around));
  return block.fallback === null
    ? rows
    : [...rows, { on_signal: 'SIGNAL:FAIL_DEFAULT', action: actionOf(block.fallback, around) }];
};

const rowOf = (row: RowPlan, around: Surroundings): JsonObject => ({
  on_signal: `SIGNAL:${at(ROW_SIGNALS, row.signal)}`,
  ...(row.condition === null ? {} : { condition: conditionOf(row.condition) }),
  action: actionOf(row, around),
});

const policyOf = (policy: PolicyPlan): JsonObject => {
  if (policy.kind === 0) return { policy: 'bubble' };
  if (policy.kind === 1) return { policy: 'repair', worker: 'Worker:Fixer' };
  return { policy: 'retry', max_attempts: policy.attempts, delay_ms: policy.delayMs, backoff: policy.backoff };
};

const recoveryOf = (block: BlockPlan): JsonObject => ({
  ...(block.recovery.length > 0 ? { '*': block.recovery.map(policyOf) } : {}),
  ...(block.timeoutRecovery.length > 0 ? { timeout: block.timeoutRecovery.map(policyOf) } : {}),
});

const SCHEMA: JsonObject = { type: 'object', required: ['ok'], properties: { ok: { type: 'boolean' } } };

const DATA: JsonObject = { ...SCHEMA, properties: { ok: { type: 'boolean' }, 'k.a': {} } };

const validationOf = (kind: BlockPlan['validation']): JsonObject => ({
  ...(kind === 'keyword' || kind === 'both' ? { signal: 'DONE' } : {}),
  ...(kind === 'schema' || kind === 'both' ? { schema: SCHEMA } : {}),
});

/**
 * Returns the validation settings of a block's answer. A third of the schemas are `answer` schemas, for data that
 * accompanies the text.
 */
const checksOf = ({ validation, manual, verdict, strategy }: BlockPlan): JsonObject => {
  if (validation === 'none') return {};
  const hasData = validation === 'schema' && !manual && verdict === null && (strategy?.length ?? 0) % 3 === 1;
  return hasData ? { answer: { schema: DATA } } : { validation: validationOf(validation) };
};

const sugarOf = (sugar: number, around: Surroundings): JsonObject => {
  const node = at(around.nodes, sugar);
  const onFailure = at<JsonObject>(
    [{ type: 'execute_node', node }, { type: 'stop_and_flag' }, { type: 'return' }],
    sugar,
  );
  return sugar % 4 === 3 ? { onSuccess: { type: 'proceed' } } : { onSuccess: { type: 'proceed' }, onFailure };
};

const STRATEGY = [
  'ALL',
  'NONE',
  'TYPE:A',
  'LAST:A',
  'LAST:B:2',
  'BLOCK:',
  'EXPORT:k.a',
  'TEXT:be brief',
  'TYPE:HUMAN_GUIDANCE',
  'MERGE:STATIC_MEMORY:own',
  'BLOCK:',
  'ALL',
] as const;

/**
 * Returns an instruction of a merge strategy. `BLOCK:` is followed by a block's id. Keys of static memory are those
 * that a generated node can have.
 */
const instructionOf = (index: number, around: Surroundings): string => {
  const instruction = at(STRATEGY, index);
  return instruction === 'BLOCK:' ? `BLOCK:${at(at(around.blocks, index), index)}` : instruction;
};

const strategyOf = (block: BlockPlan, around: Surroundings): JsonObject =>
  block.strategy === null
    ? {}
    : { payload_merge_strategy: block.strategy.map((index) => instructionOf(index, around)) };

const memoryOf = (node: string, memory: number): JsonObject => ({
  own: node,
  ...(memory % 2 === 1 ? { shared: { of: node } } : {}),
  ...(memory > 1 ? { [`of-${node}`]: memory } : {}),
});

const RULES: readonly JsonValue[] = ['all', 'any', 'majority', { at_least: 1 }, { at_least: 2 }];

const workerOf = ({ manual, verdict }: BlockPlan): JsonObject => {
  if (manual) return { worker: 'Internal:ManualIntervention' };
  if (verdict === null) return { worker: 'Worker:Coder' };
  const params: JsonObject = {
    rule: at(RULES, verdict),
    ...(verdict % 3 === 1 ? { signal: returnedSignal(verdict) } : {}),
    ...(verdict % 4 === 3 ? { failed_as: 'SIGNAL:SUCCESS' } : {}),
  };
  return { worker: 'Internal:Verdict', params };
};

const blockOf = (block: BlockPlan, around: Surroundings): JsonObject => ({
  ...workerOf(block),
  ...(block.gate ? { gate: true } : {}),
  ...strategyOf(block, around),
  ...(block.timeoutMs === null ? {} : { timeout_ms: block.timeoutMs }),
  ...(block.sideEffects === null ? {} : { side_effects: block.sideEffects }),
  ...(block.recovery.length + block.timeoutRecovery.length > 0 ? { recovery: recoveryOf(block) } : {}),
  ...checksOf(block),
  ...(block.sugar === null ? { transitions: tableOf(block, around) } : sugarOf(block.sugar, around)),
});

const nodeOf = (node: NodePlan, around: Surroundings): JsonObject => {
  const ids = at(around.blocks, around.node);
  const names = ids.map((id) => id.split('__')[1] ?? '');
  const keyOf = (index: number): string => (node.memory === 3 ? at(ids, index) : at(names, index));
  return {
    entry_block: at(names, node.entry),
    ...(node.maxSteps === null ? {} : { max_steps: node.maxSteps }),
    ...(node.boundary ? { context_inheritance: false } : {}),
    static_memory: memoryOf(at(around.nodes, around.node), node.memory),
    blocks: Object.fromEntries(node.blocks.map((block, index) => [keyOf(index), blockOf(block, around)])),
  };
};

const handledBy = (block: BlockPlan): readonly string[] =>
  block.sugar === null ? block.rows.map((row) => `SIGNAL:${at(ROW_SIGNALS, row.signal)}`) : ['SIGNAL:SUCCESS'];

/** Builds manifest, script and start from a plan. */
export const buildWorkflow = (plan: Plan): Workflow => {
  const nodes = plan.nodes.map((_, index) => at(['Main', 'Sub', 'Side', 'Tail'], index));
  const blocks = plan.nodes.map((node, index) =>
    node.blocks.map((_, place) => `${at(nodes, index)}__${at(['a', 'b', 'c', 'd', 'e'], place)}`),
  );
  const written: readonly WrittenBlock[] = plan.nodes.flatMap((node, index) =>
    node.blocks.map((block, place) => ({ id: at(at(blocks, index), place), plan: block, handled: handledBy(block) })),
  );
  const built: readonly (readonly [string, JsonValue])[] = plan.nodes.map((node, index) => [
    at(nodes, index),
    nodeOf(node, { nodes, blocks, node: index }),
  ]);
  const manifest: JsonObject = {
    version: 1,
    max_steps: plan.limits.steps,
    max_run_steps: plan.limits.runSteps,
    max_depth: plan.limits.depth,
    workers: { 'Worker:Coder': { kind: 'ai' }, 'Worker:Fixer': { kind: 'ai' } },
    nodes: Object.fromEntries(built),
  };
  const start = plan.startAtBlock ? at(written, plan.start).id : at(nodes, plan.start);
  return {
    manifest,
    script: buildScript(plan, written),
    start,
    stepMode: plan.stepMode,
    input: plan.input ? 'go' : null,
  };
};
