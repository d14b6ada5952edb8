import {
  type AnyActorLogic,
  type AnyActorRef,
  type AnyActorScope,
  type AnyEventObject,
  type AnyMachineSnapshot,
  type AnyStateMachine,
  type AnyStateNode,
  createActor,
} from 'xstate';

type Compute = (info: object) => unknown;
type Action = (info: unknown, params: unknown) => void;

export interface NamedAction {
  readonly type: string;
  readonly params: unknown;
  readonly exec: Action;
}

/** An actor that a state invokes. */
export interface Invoked {
  readonly id: string;
  readonly src: string;
  /** Returns the actor's logic, which is created on first use. */
  readonly logic: () => AnyActorLogic;
  readonly input: unknown;
}

/** The fixed effect of a transition: these actions, then these actors are stopped and started. */
export interface Move {
  readonly actions: readonly NamedAction[];
  readonly stops: readonly string[];
  readonly starts: readonly Invoked[];
  readonly to: AnyStateNode;
}

/** An event of an actor. Actions and the functions of the chart get it as their info. */
export interface Happening {
  readonly context: unknown;
  readonly event: AnyEventObject;
  readonly self: AnyActorRef;
  readonly system: AnyActorScope['system'];
  readonly scope: AnyActorScope;
}

type Children = Readonly<Record<string, AnyActorRef>>;

export function perform(actions: readonly NamedAction[], info: Happening): void {
  const { scope } = info;
  for (const { type, params, exec } of actions)
    scope.actionExecutor({ type, info, params, exec } as Parameters<typeof scope.actionExecutor>[0]);
}

function created({ id, logic, src, input }: Invoked, happening: Happening): AnyActorRef {
  const given: unknown = typeof input === 'function' ? (input as Compute)(happening) : input;
  return createActor(logic(), { id, src, parent: happening.self, input: given }) as AnyActorRef;
}

/** Creates the actors that a state invokes, without starting them. */
function spawn(before: Children, starts: readonly Invoked[], happening: Happening): Children {
  if (starts.length === 0) return before;
  const children: Record<string, AnyActorRef> = { ...before };
  for (const one of starts) children[one.id] = created(one, happening);
  return children;
}

/** Stops an actor after the current transition, as XState does. */
const stopLater = (scope: AnyActorScope, child: AnyActorRef | undefined): void => {
  if (child !== undefined) scope.defer(() => scope.stopChild(child));
};

function childrenAfter(before: Children, { stops, starts }: Move, happening: Happening): Children {
  if (stops.length === 0 && starts.length === 0) return before;
  const { scope } = happening;
  for (const id of stops) stopLater(scope, before[id]);
  const left =
    stops.length === 0 ? before : Object.fromEntries(Object.entries(before).filter(([id]) => !stops.includes(id)));
  const children = spawn(left, starts, happening);
  for (const { id } of starts) scope.defer(() => children[id]?.start());
  return children;
}

/** Snapshots of one actor that differ only in their state. */
interface OwnSnapshots {
  readonly children: Children;
  readonly byState: Map<AnyStateNode, AnyMachineSnapshot>;
}

export interface Snapshots {
  /** Returns the snapshot of an actor in a state; the same one again while its children are the same. */
  known(to: AnyStateNode, context: unknown, children: Children): AnyMachineSnapshot;
  /** Returns the snapshot of an actor that has begun or ended, or whose children have changed. */
  fresh(to: AnyStateNode, context: unknown, children: Children, output?: unknown): AnyMachineSnapshot;
}

/** Makes snapshots of a machine's actors: copies of one that XState has made for each state. */
export function createSnapshots(machine: AnyStateMachine): Snapshots {
  const templates = new Map<AnyStateNode, AnyMachineSnapshot>();
  /** Snapshots by the context that they share. */
  const byContext = new WeakMap<object, OwnSnapshots>();

  const templateFor = (to: AnyStateNode): AnyMachineSnapshot => {
    let found = templates.get(to);
    if (found === undefined) templates.set(to, (found = machine.resolveState({ value: to.key, context: {} })));
    return found;
  };

  const fresh: Snapshots['fresh'] = (to, context, children, output) =>
    ({ ...templateFor(to), context, children, output }) as AnyMachineSnapshot;

  return {
    fresh,
    known: (to, context, children) => {
      let own = byContext.get(context as object);
      if (own?.children !== children) byContext.set(context as object, (own = { children, byState: new Map() }));
      let found = own.byState.get(to);
      if (found === undefined) own.byState.set(to, (found = fresh(to, context, children)));
      return found;
    },
  };
}

/** Creates the actors that an actor has from its beginning. `landing` is the event that leads to its state. */
export function firstChildren(
  starts: readonly Invoked[],
  happening: Happening,
  move: Move,
  landing: Happening,
): Children {
  const children = spawn(spawn({}, starts, happening), move.starts, landing);
  // XState starts those that are active with the actor itself.
  for (const child of Object.values(children))
    if ((child.getSnapshot() as { readonly status: string }).status !== 'active')
      happening.scope.defer(() => child.start());
  return children;
}

/** Stops the actor's children and computes its output. */
function end({ context, self, scope }: Happening, to: AnyStateNode, children: Children): unknown {
  for (const child of Object.values(children)) stopLater(scope, child);
  const { output } = to.machine.root as { readonly output?: unknown };
  const event = { type: `xstate.done.state.${to.id}`, output: undefined };
  return typeof output === 'function' ? (output as Compute)({ context, event, self }) : output;
}

/** Makes a move of a running actor, and returns its next snapshot. */
export function makeMove(
  before: AnyMachineSnapshot,
  move: Move,
  snapshots: Snapshots,
  happening: Happening,
): AnyMachineSnapshot {
  const { to } = move;
  const { context } = happening;
  perform(move.actions, happening);
  const known = before.children as Children;
  const children = childrenAfter(known, move, happening);
  if (to.type === 'final') return snapshots.fresh(to, context, children, end(happening, to, children));
  return children === known ? snapshots.known(to, context, children) : snapshots.fresh(to, context, children);
}
