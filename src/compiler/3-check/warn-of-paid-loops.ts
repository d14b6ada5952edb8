import type { Action, Transition } from '#protocol/graph.ts';
import type { BlockId, NodeId } from '#protocol/id.ts';
import { isObject, type JsonObject, type JsonValue } from '#protocol/json.ts';
import { REJECTED } from '#protocol/signal.ts';
import type { Diagnose } from '../1-parse/diagnose.ts';
import { has, readNumber, readObject, readString } from '../1-parse/json-reader.ts';
import type { ResolvedManifest } from '../2-resolve/resolved-manifest.ts';
import { findComponents } from './find-components.ts';
import { BUILT_IN_CONDITIONS } from './read-condition.ts';
import type { CheckedBlock } from './read-block.ts';

type PaidKind = 'ai' | 'agent';

/** The number of ids of a loop that the message lists. */
const SHOWN = 6;

/** Returns the nodes that an action calls. */
function calledNodes(action: Action): readonly NodeId[] {
  if (action.kind === 'call') return [action.node];
  return action.kind === 'fork' ? action.nodes : [];
}

/**
 * Returns whether a row can be taken only a limited number of times: it counts visits, or a person decides. A
 * registered condition is trusted, since its meaning is not known here.
 */
const isBounded = ({ signal, condition }: Transition): boolean =>
  signal === REJECTED ||
  (condition !== null && (condition.id === 'visits.less_than' || !BUILT_IN_CONDITIONS.has(condition.id)));

const definitionOf = ({ workers }: ResolvedManifest, worker: string): JsonObject | null => {
  const value = workers.get(worker)?.value;
  return isObject(value) ? value : null;
};

/** Returns what a block calls that costs money; null if nothing. */
function paidKindOf({ block }: CheckedBlock, manifest: ResolvedManifest): PaidKind | null {
  const definition = definitionOf(manifest, block.worker);
  const kind = definition === null ? null : readString(definition, 'kind');
  return kind === 'ai' || kind === 'agent' ? kind : null;
}

const SCOPES = ['node', 'run', 'task', 'session'] as const;
const UNITS = ['usd', 'tokens', 'requests'] as const;

const limitsARun = (budgets: JsonValue | null): boolean =>
  isObject(budgets ?? undefined) &&
  SCOPES.some((scope) => {
    const amounts = readObject(budgets as JsonObject, scope);
    return amounts !== null && UNITS.some((unit) => has(amounts, unit));
  });

/** Returns whether a budget ends a loop that calls this block's model. Budgets do not limit coding agents. */
function hasBudget({ block }: CheckedBlock, manifest: ResolvedManifest): boolean {
  const definition = definitionOf(manifest, block.worker);
  if (definition === null || readString(definition, 'kind') !== 'ai') return false;
  const pool = manifest.pools.get(readString(definition, 'pool') ?? '')?.value;
  return limitsARun(readObject(manifest.root, 'budgets')) || (isObject(pool) && limitsARun(readObject(pool, 'budget')));
}

/** Returns the nodes whose blocks cost money without a budget, directly or in a node that they call. */
function paidNodes(blocks: readonly CheckedBlock[], isPaid: (block: CheckedBlock) => boolean): ReadonlySet<NodeId> {
  const callers = new Map<NodeId, NodeId[]>();
  for (const { block } of blocks)
    for (const { action } of block.transitions)
      for (const node of calledNodes(action)) {
        const known = callers.get(node);
        if (known === undefined) callers.set(node, [block.node]);
        else known.push(block.node);
      }
  const paid = new Set(blocks.filter(isPaid).map(({ block }) => block.node));
  // A set that grows while it is read also yields its new members.
  for (const node of paid) for (const caller of callers.get(node) ?? []) paid.add(caller);
  return paid;
}

/** Returns the blocks that can follow a row, in the same frame or in the first block of a frame that it opens. */
function following({ action }: Transition, entryBlocks: ReadonlyMap<NodeId, BlockId>): readonly BlockId[] {
  const opened = calledNodes(action).flatMap((node) => entryBlocks.get(node) ?? []);
  if (action.kind === 'jump') return [action.target];
  if (action.kind !== 'call' && action.kind !== 'fork') return [];
  return action.returnTo === null ? opened : [...opened, action.returnTo];
}

/**
 * Warns of loops that call a model or an agent, and that nothing ends but the default limit of steps: no count of
 * visits, no person, no budget, and no `max_steps` in the manifest.
 */
export function warnOfPaidLoops(
  blocks: readonly CheckedBlock[],
  entryBlocks: ReadonlyMap<NodeId, BlockId>,
  manifest: ResolvedManifest,
  { report }: Diagnose,
): void {
  const { root, nodes } = manifest;
  if (readNumber(root, 'max_steps') !== null || readNumber(root, 'max_run_steps') !== null) return;
  const limited = new Set(nodes.filter(({ maxSteps }) => maxSteps !== null).map(({ id }) => id));
  const isPaid = (one: CheckedBlock): boolean => paidKindOf(one, manifest) !== null && !hasBudget(one, manifest);
  const paid = paidNodes(blocks, isPaid);
  const rowsOf = ({ block }: CheckedBlock): readonly Transition[] =>
    block.gate || block.worker === 'Internal:ManualIntervention'
      ? []
      : block.transitions.filter((row) => !isBounded(row));
  const byId = new Map(blocks.map((one) => [one.block.id, one]));
  const next = (id: BlockId): readonly BlockId[] => {
    const one = byId.get(id);
    return one === undefined ? [] : rowsOf(one).flatMap((row) => following(row, entryBlocks));
  };
  /** Returns whether a block of a loop pays: by itself, or by a call after which the loop goes on. */
  const isPayer = (one: CheckedBlock, loop: ReadonlySet<BlockId>): boolean =>
    isPaid(one) ||
    rowsOf(one).some(
      (row) =>
        calledNodes(row.action).some((node) => paid.has(node)) &&
        following(row, entryBlocks).some((id) => loop.has(id)),
    );
  for (const component of findComponents(byId.keys(), next)) {
    const members = component.flatMap((id) => byId.get(id) ?? []);
    const isLoop = component.length > 1 || component.some((id) => next(id).includes(id));
    const loopBlocks = new Set(component);
    const payer = isLoop ? members.find((one) => isPayer(one, loopBlocks)) : undefined;
    if (payer === undefined || members.some(({ block }) => limited.has(block.node))) continue;
    const shown = component.slice(0, SHOWN).join(' → ');
    const loop = component.length > SHOWN ? `${shown} → …` : `${shown} → ${component[0] ?? ''}`;
    const budget = paidKindOf(payer, manifest) === 'agent' ? 'max_steps' : 'budgets';
    report('RS4016', payer.resolved.spot, { block: payer.block.id, loop, budget });
  }
}
