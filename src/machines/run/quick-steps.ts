import type {
  AnyActorRef,
  AnyActorScope,
  AnyEventObject,
  AnyMachineSnapshot,
  AnyStateMachine,
  AnyStateNode,
} from 'xstate';
import { isObserved } from './observed-systems.ts';

type Action = (info: unknown, params: unknown) => void;

interface NamedAction {
  readonly type: string;
  readonly params: unknown;
  readonly exec: Action;
}

/** The fixed effect of a transition, independent of the context: these actions, then this state. */
interface QuickStep {
  readonly to: string;
  readonly actions: readonly NamedAction[];
}

/**
 * A transition for one event, in written order. `row` is the row that its guard requires, or null. `step` is null if
 * XState must take it.
 */
interface Candidate {
  readonly row: number | null;
  readonly step: QuickStep | null;
}

type Quick = ReadonlyMap<string, readonly Candidate[]>;

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null;

/** Returns a named action; null for one that may raise, assign or spawn, which only XState can resolve. */
function namedAction(machine: AnyStateMachine, action: unknown): NamedAction | null {
  const type = isRecord(action) ? action['type'] : action;
  const params = isRecord(action) ? action['params'] : undefined;
  const exec: unknown = typeof type === 'string' ? machine.implementations.actions[type] : null;
  if (typeof type !== 'string' || typeof exec !== 'function' || typeof params === 'function') return null;
  return 'resolve' in exec ? null : { type, params, exec: exec as Action };
}

/** Returns whether a state is atomic, a child of the root, and has no invoked actors and no eventless transitions. */
const isPlain = ({ type, invoke, always, parent, machine }: AnyStateNode): boolean =>
  type === 'atomic' && invoke.length === 0 && (always ?? []).length === 0 && parent === machine.root;

type Transition = AnyStateNode['on'][string][number];

function stepOf(machine: AnyStateMachine, from: AnyStateNode, transition: Transition): QuickStep | null {
  const { target = [], reenter, actions } = transition;
  const [to] = target;
  if (to === undefined || target.length > 1 || !isPlain(to) || (to === from && !reenter)) return null;
  const named = [...from.exit, ...actions, ...to.entry].map((action) => namedAction(machine, action));
  return named.every((action) => action !== null) ? { to: to.key, actions: named } : null;
}

function candidate(machine: AnyStateMachine, from: AnyStateNode, transition: Transition): Candidate {
  const guard: unknown = transition.guard;
  if (guard === undefined) return { row: null, step: stepOf(machine, from, transition) };
  const params = isRecord(guard) && guard['type'] === 'row' ? guard['params'] : null;
  const row = isRecord(params) ? params['row'] : null;
  return typeof row === 'number' ? { row, step: stepOf(machine, from, transition) } : { row: null, step: null };
}

function quickStepsOf(machine: AnyStateMachine, from: AnyStateNode | undefined): Quick {
  const events = from === undefined || !isPlain(from) ? [] : [...from.transitions];
  // A wildcard transition may match the same event as an exact one.
  if (from === undefined || events.some(([event]) => event.includes('*'))) return new Map();
  return new Map(events.map(([event, list]) => [event, list.map((one) => candidate(machine, from, one))]));
}

/** Snapshots of one actor that differ only in their state. */
interface Snapshots {
  readonly children: unknown;
  readonly byState: Map<string, AnyMachineSnapshot>;
}

function movedTo({ machine, ...before }: AnyMachineSnapshot, value: string): AnyMachineSnapshot {
  const moved = (machine as AnyStateMachine).resolveState({ value, context: before.context as object });
  return { ...moved, children: before.children as Record<string, AnyActorRef> };
}

/** Snapshots by the context that they share. */
type KnownSnapshots = WeakMap<object, Snapshots>;

function snapshotAt(known: KnownSnapshots, before: AnyMachineSnapshot, to: string): AnyMachineSnapshot {
  const context = before.context as object;
  const children: unknown = before.children;
  let own = known.get(context);
  if (own === undefined || own.children !== children) known.set(context, (own = { children, byState: new Map() }));
  let found = own.byState.get(to);
  if (found === undefined) own.byState.set(to, (found = movedTo(before, to)));
  return found;
}

/** Returns whether the root state has nothing that would affect every transition. */
const isSimple = ({ root }: AnyStateMachine): boolean =>
  (root.always ?? []).length === 0 && Object.values(root.states).every(({ type }) => type !== 'history');

/**
 * Speeds up a machine's most frequent transitions: those from one plain state to another, by an event of its own, with
 * named actions only. XState computes the states to leave and enter at each step; here they are computed once. XState
 * takes all other transitions, and all of an observed system (docs/decisions/2026-11-22-quick-steps.md).
 */
export function withQuickSteps(machine: AnyStateMachine): AnyStateMachine {
  if (!isSimple(machine)) return machine;
  const whole = machine.transition;
  const steps = new Map<string, Quick>();
  const known: KnownSnapshots = new WeakMap();

  const find = (value: unknown, event: AnyEventObject): QuickStep | null => {
    if (typeof value !== 'string') return null;
    let quick = steps.get(value);
    if (quick === undefined) steps.set(value, (quick = quickStepsOf(machine, machine.states[value])));
    const { row } = event as { readonly row?: unknown };
    return quick.get(event.type)?.find((one) => one.row === null || one.row === row)?.step ?? null;
  };

  machine.transition = (snapshot: AnyMachineSnapshot, event: AnyEventObject, scope: AnyActorScope) => {
    const isQuick = snapshot.status === 'active' && !isObserved(scope.system);
    const step = isQuick ? find(snapshot.value, event) : null;
    if (step === null) return whole(snapshot, event, scope as Parameters<typeof whole>[2]);
    const info = { context: snapshot.context as unknown, event, self: scope.self, system: scope.system };
    for (const { type, params, exec } of step.actions)
      scope.actionExecutor({ type, info, params, exec } as Parameters<typeof scope.actionExecutor>[0]);
    return snapshotAt(known, snapshot, step.to);
  };
  return machine;
}
