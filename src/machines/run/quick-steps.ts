import type { AnyActorLogic, AnyEventObject, AnyMachineSnapshot, AnyStateMachine, AnyStateNode } from 'xstate';
import { isObserved } from './observed-systems.ts';
import {
  createSnapshots,
  firstChildren,
  type Happening,
  type Invoked,
  makeMove,
  type Move,
  type NamedAction,
  perform,
  type Snapshots,
} from './quick-moves.ts';

/** A transition for one event, in written order. `move` is null if XState must take it, and decide its guard. */
interface Candidate {
  readonly move: Move | null;
  readonly passes: (context: unknown, event: AnyEventObject) => boolean;
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null;

interface Named {
  readonly type: string;
  readonly params: unknown;
}

/** Returns a reference by name to an action or guard; null for a function, or for parameters that are one. */
function named(reference: unknown): Named | null {
  const type = isRecord(reference) ? reference['type'] : reference;
  const params = isRecord(reference) ? reference['params'] : undefined;
  return typeof type === 'string' && typeof params !== 'function' ? { type, params } : null;
}

/** Returns named actions; null if one may raise, assign or spawn, which only XState can resolve. */
function namedActions(machine: AnyStateMachine, actions: readonly unknown[]): readonly NamedAction[] | null {
  const found: NamedAction[] = [];
  for (const action of actions) {
    const reference = named(action);
    const exec: unknown = reference === null ? null : machine.implementations.actions[reference.type];
    if (reference === null || typeof exec !== 'function' || 'resolve' in exec) return null;
    found.push({ ...reference, exec: exec as NamedAction['exec'] });
  }
  return found;
}

/** Returns the actors that a state invokes; null if one has a feature that only XState knows. */
function invokedBy(machine: AnyStateMachine, { invoke }: AnyStateNode): readonly Invoked[] | null {
  const { actors } = machine.implementations;
  const isKnown = invoke.every(
    ({ src, onSnapshot, systemId }) =>
      typeof src === 'string' && Object.hasOwn(actors, src) && onSnapshot === undefined && systemId === undefined,
  );
  return isKnown
    ? invoke.map(({ id, src, input }) => ({
        id,
        src: src as string,
        logic: () => actors[src as string] as AnyActorLogic,
        input,
      }))
    : null;
}

/** Returns whether a state is a child of the root, has no states of its own and no eventless transitions. */
const isPlain = ({ type, always, parent, machine }: AnyStateNode): boolean =>
  (type === 'atomic' || type === 'final') && (always ?? []).length === 0 && parent === machine.root;

type Transition = AnyStateNode['on'][string][number];

function moveOf(machine: AnyStateMachine, from: AnyStateNode, transition: Transition): Move | null {
  const { target = [], reenter, actions } = transition;
  const [to] = target;
  if (to === undefined || target.length > 1 || !isPlain(to) || (to === from && !reenter)) return null;
  const done = namedActions(machine, [...from.exit, ...actions, ...to.entry]);
  const starts = invokedBy(machine, to);
  if (done === null || starts === null || to.output !== undefined) return null;
  return { actions: done, stops: from.invoke.map(({ id }) => id), starts, to };
}

type Guard = (info: object, params: unknown) => boolean;

const ALWAYS = (): boolean => true;

function candidate(machine: AnyStateMachine, from: AnyStateNode, transition: Transition): Candidate {
  const { guard } = transition;
  if (guard === undefined) return { move: moveOf(machine, from, transition), passes: ALWAYS };
  const reference = named(guard);
  const check: unknown = reference === null ? null : machine.implementations.guards[reference.type];
  if (reference === null || typeof check !== 'function' || 'check' in check) return { move: null, passes: ALWAYS };
  const { params } = reference;
  return {
    move: moveOf(machine, from, transition),
    passes: (context, event) => (check as Guard)({ context, event }, params),
  };
}

const hasWildcard = ({ transitions }: AnyStateNode): boolean =>
  [...transitions.keys()].some((event) => event.includes('*'));

/** Returns the transitions of a state for an event, or those of the root; none if a wildcard may match the event. */
function candidatesFor(machine: AnyStateMachine, from: AnyStateNode | undefined, event: string): readonly Candidate[] {
  const { root } = machine;
  if (from === undefined || !isPlain(from) || hasWildcard(from) || hasWildcard(root)) return [];
  const transitions = from.transitions.get(event) ?? root.transitions.get(event) ?? [];
  return transitions.map((transition) => candidate(machine, from, transition));
}

/** How an actor begins: its first state raises an event, which leads to the state where it stays. */
interface Opening {
  readonly actions: readonly NamedAction[];
  readonly starts: readonly Invoked[];
  readonly first: AnyStateNode;
  readonly raised: (info: Happening) => AnyEventObject;
}

function openingOf(machine: AnyStateMachine): Opening | null {
  const { root } = machine;
  const { target, actions } = root.initial;
  const [first] = target;
  if (first === undefined || target.length > 1 || actions.length > 0 || !isPlain(first) || first.invoke.length > 0)
    return null;
  const last = named(first.entry.at(-1));
  const raise: unknown = last === null ? null : machine.implementations.actions[last.type];
  const done = namedActions(machine, [...root.entry, ...first.entry.slice(0, -1)]);
  const starts = invokedBy(machine, root);
  if (typeof raise !== 'function' || !('event' in raise) || done === null || starts === null) return null;
  const { event, delay } = raise as { readonly event: unknown; readonly delay?: unknown };
  if (typeof event !== 'function' || delay !== undefined) return null;
  return { actions: done, starts, first, raised: event as Opening['raised'] };
}

/** Returns whether the root state has nothing that would affect every transition. */
const isSimple = ({ root }: AnyStateMachine): boolean =>
  (root.always ?? []).length === 0 && Object.values(root.states).every(({ type }) => type !== 'history');

type Find = (value: unknown, context: unknown, event: AnyEventObject) => Move | null;

function finder(machine: AnyStateMachine): Find {
  const known = new Map<string, Map<string, readonly Candidate[]>>();
  return (value, context, event) => {
    if (typeof value !== 'string') return null;
    let byEvent = known.get(value);
    if (byEvent === undefined) known.set(value, (byEvent = new Map<string, readonly Candidate[]>()));
    let candidates = byEvent.get(event.type);
    if (candidates === undefined)
      byEvent.set(event.type, (candidates = candidatesFor(machine, machine.states[value], event.type)));
    return candidates.find(({ passes }) => passes(context, event))?.move ?? null;
  };
}

type Context = (given: { readonly input: unknown; readonly self: unknown }) => unknown;

/** Lets actors begin in the state to which their first state leads. */
function beginQuickly(machine: AnyStateMachine, find: Find, snapshots: Snapshots): void {
  const whole = machine.getInitialSnapshot;
  const { context: contextOf } = machine.config as { readonly context?: unknown };
  if (typeof contextOf !== 'function') return;
  let opening: Opening | null | undefined;
  machine.getInitialSnapshot = (scope, input: unknown) => {
    if (opening === undefined) opening = openingOf(machine);
    if (opening === null || isObserved(scope.system)) return whole(scope, input);
    const { self, system } = scope;
    const context = (contextOf as Context)({ input, self });
    const happening = { context, event: { type: 'xstate.init', input }, self, system, scope };
    const event = opening.raised(happening);
    const move = find(opening.first.key, context, event);
    if (move === null || move.to.type === 'final') return whole(scope, input);
    const landing = { ...happening, event };
    perform(opening.actions, happening);
    perform(move.actions, landing);
    const children = firstChildren(opening.starts, happening, move, landing);
    return snapshots.fresh(move.to, context, children);
  };
}

/**
 * Speeds up a machine without nested states: its start, and its transitions with named actions. XState computes the
 * states to leave and enter at each step; here they are computed once. XState takes all other transitions, and all of
 * an observed system (docs/decisions/2026-11-25-door-cost.md). The machine's context must not spawn actors.
 */
export function withQuickSteps(machine: AnyStateMachine): AnyStateMachine {
  if (!isSimple(machine)) return machine;
  const whole = machine.transition;
  const find = finder(machine);
  const snapshots = createSnapshots(machine);
  beginQuickly(machine, find, snapshots);

  machine.transition = (snapshot: AnyMachineSnapshot, event: AnyEventObject, scope: Happening['scope']) => {
    const isQuick = snapshot.status === 'active' && !isObserved(scope.system);
    const context: unknown = snapshot.context;
    const move = isQuick ? find(snapshot.value, context, event) : null;
    if (move === null) return whole(snapshot, event, scope as Parameters<typeof whole>[2]);
    return makeMove(snapshot, move, snapshots, { context, event, self: scope.self, system: scope.system, scope });
  };
  return machine;
}
