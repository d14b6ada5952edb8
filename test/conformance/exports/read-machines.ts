import { type AnyStateMachine, type AnyStateNode, createMachine } from 'xstate';
import type { MachineConfig } from '#protocol/compiled.ts';
import type { Action, Graph, GraphBlock, Transition } from '#protocol/graph.ts';
import type { JsonValue } from '#protocol/json.ts';

/** A workflow as read from an export, reduced to the part of its graph that determines the path of a run. */
export interface ReadGraph {
  readonly nodes: readonly ReadNode[];
}

interface ReadNode {
  readonly id: string;
  readonly blocks: readonly ReadBlock[];
}

interface ReadBlock {
  readonly id: string;
  /** The rows of each signal in their order. */
  readonly rows: Readonly<Record<string, readonly ReadRow[]>>;
  /** The rows for the look-up after a failed child; null if the block starts no children. */
  readonly afterFailedChild: Readonly<Record<string, readonly ReadRow[]>> | null;
  /**
   * The block at which a run continues after a halt of this block. Null: the run returns to the caller. Undefined: the
   * block can't halt.
   */
  readonly next: string | null | undefined;
}

interface ReadRow {
  readonly condition: JsonValue;
  readonly kind: Action['kind'];
  readonly target: JsonValue;
}

interface Branch {
  readonly node: string;
}

interface InvokeInput {
  readonly $call?: string;
  readonly $branch?: Branch;
  readonly $fork?: readonly string[];
}

type Definition =
  AnyStateNode['transitions'] extends Map<string, infer List> ? (List extends (infer One)[] ? One : never) : never;

/** Returns the block to which a transition finally leads, or null if it returns to the caller. */
function destination({ target, actions }: Definition): string | null {
  const name = target?.[0]?.key ?? '';
  if (name === '@return') return null;
  if (name !== '@jump') return name;
  const landing = actions.find((action) => (action as { readonly type?: string }).type === 'landAt');
  return (landing as unknown as { readonly params: { readonly block: string } }).params.block;
}

const inputOf = (state: AnyStateNode): InvokeInput =>
  (state.invoke[0] as unknown as { readonly input: InvokeInput }).input;

/**
 * Returns the target of the last transition for an event, or null for a return to the caller. The transitions before it
 * apply only if a child has failed.
 */
const whenReturned = (state: AnyStateNode, event: string): string | null => {
  const last = state.transitions.get(event)?.at(-1);
  if (last === undefined) throw new Error(`${state.id} has no ${event}`);
  return destination(last);
};

function readChildren(state: AnyStateNode): Omit<ReadRow, 'condition'> {
  if (state.type === 'parallel') {
    const nodes = Object.values(state.states).map(
      (region) => inputOf(region.states['run'] as AnyStateNode).$branch?.node ?? '',
    );
    return { kind: 'fork', target: { nodes, returnTo: whenReturned(state, `xstate.done.state.${state.id}`) } };
  }
  const { $call, $fork } = inputOf(state);
  const returnTo = whenReturned(state, `xstate.done.actor.${state.invoke[0]?.id ?? ''}`);
  return $call === undefined
    ? { kind: 'fork', target: { nodes: $fork ?? [], returnTo } }
    : { kind: 'call', target: { nodes: [$call], returnTo } };
}

function readAction(transition: Definition): Omit<ReadRow, 'condition'> {
  const target = transition.target?.[0] as AnyStateNode;
  if (/@(?:CALL|FORK):\d+$/.test(target.key)) return readChildren(target);
  if (target.key.endsWith('@HALT')) return { kind: 'halt', target: null };
  const block = destination(transition);
  return block === null ? { kind: 'return', target: null } : { kind: 'jump', target: block };
}

const readRow = (transition: Definition): ReadRow => {
  const guard = transition.guard as { readonly params?: { readonly condition?: JsonValue } } | undefined;
  return { condition: guard?.params?.condition ?? null, ...readAction(transition) };
};

const readRows = (state: AnyStateNode): ReadBlock['rows'] =>
  Object.fromEntries(
    [...state.transitions]
      .filter(([event]) => event.startsWith('SIGNAL:'))
      .map(([event, list]) => [event, list.map(readRow)]),
  );

function readBlock(machine: AnyStateMachine, id: string): ReadBlock {
  const error = machine.states[`${id}@ERROR`];
  const halt = machine.states[`${id}@HALT`];
  return {
    id,
    rows: readRows(machine.states[id] as AnyStateNode),
    afterFailedChild: error === undefined ? null : readRows(error),
    next: halt === undefined ? undefined : whenReturned(halt, '@next'),
  };
}

/** Reads a workflow from exported machine configs. XState resolves the transitions. */
export const readMachines = (nodes: Readonly<Record<string, MachineConfig>>): ReadGraph => ({
  nodes: Object.entries(nodes).map(([id, config]) => {
    const machine = createMachine(config);
    const blocks = Object.keys(machine.states).filter((name) => !name.includes('@'));
    return { id, blocks: blocks.map((block) => readBlock(machine, block)) };
  }),
});

function wantedRow({ action, condition }: Transition): ReadRow {
  const plain = condition === null ? null : { id: condition.id, args: condition.args };
  switch (action.kind) {
    case 'jump':
      return { condition: plain, kind: 'jump', target: action.target };
    case 'return':
    case 'halt':
      return { condition: plain, kind: action.kind, target: null };
    case 'call':
      return { condition: plain, kind: 'call', target: { nodes: [action.node], returnTo: action.returnTo } };
    case 'fork':
      return { condition: plain, kind: 'fork', target: { nodes: action.nodes, returnTo: action.returnTo } };
  }
}

function wantedBlock({ id, transitions, next }: GraphBlock): ReadBlock {
  const kinds = new Set(transitions.map(({ action }) => action.kind));
  const signals = [...new Set(transitions.map(({ signal }) => signal))];
  const rows = Object.fromEntries(
    signals.map((signal) => [signal, transitions.filter((row) => row.signal === signal).map(wantedRow)]),
  );
  return {
    id,
    rows,
    afterFailedChild: kinds.has('call') || kinds.has('fork') ? rows : null,
    next: kinds.has('halt') ? next : undefined,
  };
}

/** Returns the result that `readMachines` must give for the export of a graph. */
export const wantedOf = ({ nodes }: Graph): ReadGraph => ({
  nodes: nodes.map(({ id, blocks }) => ({ id, blocks: blocks.map(wantedBlock) })),
});
