import { Actor, type AnyActorRef, type InspectionEvent as XStateEvent } from 'xstate';
import { INSPECTION_FORMAT, type ActorState, type InspectionEvent } from '#protocol/inspection.ts';
import type { JsonValue } from '#protocol/json.ts';
import { messageOf } from '#protocol/message-of.ts';
import { createConverter, snapshotOf } from './convert.ts';
import { describeFrame } from './describe-frame.ts';
import { dataOf } from './plain-data.ts';
import { summarise, SUMMARY_LIMITS, type SummaryParts } from './summarise.ts';

interface InspectorParts {
  readonly now: () => number;
  /** Removes secrets from a text. */
  readonly redact: (text: string) => string;
  /** Called with a message when an actor can't be shown. The actor itself is not affected. */
  readonly warn: (message: string) => void;
}

/** A part of the engine that is not an XState actor but has its own state, such as a key. */
export interface StandIn {
  /** Unique in the engine. */
  readonly id: string;
  readonly name: string;
  readonly status: string;
  readonly value: string;
  readonly context: unknown;
}

/** Shows the live actors of one engine to clients. Without a client, an actor costs one entry of a set. */
export interface Inspector {
  /** Makes a root actor and all that it starts visible until it has ended. The name is for people. */
  watch(name: string, root: AnyActorRef): void;
  /** Makes parts visible that are not actors. `read` is called for each new subscription and after `changed`. */
  watchStandIns(read: () => readonly StandIn[]): void;
  /** Tells the inspector that the actors which `watchStandIns` lists may have changed, so that it reads them again. */
  changed(): void;
  /** Emits all existing actors, then all events. Returns a function that ends the subscription. */
  subscribe(sink: (event: InspectionEvent) => void): () => void;
}

type Sink = (event: InspectionEvent) => void;

/** Returns an actor and its descendants, parents first. */
function* treeOf(root: AnyActorRef): Generator<AnyActorRef> {
  yield root;
  const { children } = (snapshotOf(root) ?? {}) as { readonly children?: unknown };
  const refs: Iterable<unknown> =
    children instanceof Map ? children.values() : Object.values((children ?? {}) as Readonly<Record<string, unknown>>);
  for (const child of refs) if (child !== undefined) yield* treeOf(child as AnyActorRef);
}

/** Returns the run of a frame's machine; null for any other actor. */
function runOf(root: AnyActorRef): object | null {
  const { context } = (snapshotOf(root) ?? {}) as { readonly context?: unknown };
  const frame = typeof context === 'object' && context !== null ? dataOf(context, 'frame') : null;
  const run = typeof frame === 'object' && frame !== null ? dataOf(frame, 'run') : null;
  return typeof run === 'object' ? run : null;
}

/** Returns a function that describes actors, and frames of known runs. */
const describing =
  (runs: WeakSet<object>): SummaryParts['describe'] =>
  (value) => {
    // The summary contains only the actor's id, because the actor object refers to its whole system.
    if (Object.getPrototypeOf(value) === Actor.prototype) return `[actor ${(value as AnyActorRef).id}]`;
    return describeFrame(value, runs);
  };

interface Observation {
  /** Emits all existing actors to one sink. */
  emitActors(sink: Sink): void;
  end(): void;
}

/**
 * Observes one actor system. Errors of `emit` or of the conversion are passed to `fail`, because they must not reach
 * the actor.
 */
function observe(
  root: AnyActorRef,
  converter: ReturnType<typeof createConverter>,
  emit: Sink,
  fail: (thrown: unknown) => void,
): Observation {
  const known = new Set<string>();
  /**
   * Ids of actors that were emitted before they had a state, and perhaps a name. They are emitted again with their
   * first snapshot.
   */
  const unread = new Set<string>();
  const rootId = root.sessionId;
  /** Emits an actor and its parents. XState creates no event for an actor that existed before the observation began. */
  const introduce = (ref: AnyActorRef | undefined): void => {
    if (ref === undefined || known.has(ref.sessionId)) return;
    introduce(ref._parent);
    known.add(ref.sessionId);
    if (snapshotOf(ref) === null) unread.add(ref.sessionId);
    emit(converter.actor(ref, rootId));
  };
  for (const ref of treeOf(root)) introduce(ref);
  const report = (event: XStateEvent): void => {
    const ref = event.actorRef as AnyActorRef;
    const isNew = !known.has(ref.sessionId);
    introduce(ref);
    // `introduce` has just emitted the creation of this actor.
    if (isNew && event.type === '@xstate.actor') return;
    if (event.type === '@xstate.snapshot' && unread.delete(ref.sessionId)) emit(converter.actor(ref, rootId));
    const converted = converter.event(event);
    if (converted !== null) emit(converted);
  };
  const next = (event: XStateEvent): void => {
    try {
      report(event);
    } catch (thrown) {
      fail(thrown);
    }
  };
  const subscription = root.system.inspect(next);
  return {
    emitActors: (sink) => {
      for (const ref of treeOf(root)) sink(converter.actor(ref, rootId));
    },
    end: () => subscription.unsubscribe(),
  };
}

/** Emits the parts that are not actors, each when it is new or has changed. */
function createStandIns({ now, redact }: InspectorParts, describe: SummaryParts['describe'], emit: Sink) {
  const readers = new Set<() => readonly StandIn[]>();
  const known = new Map<string, string>();
  const base = (id: string) => ({
    sessionId: id,
    rootId: id,
    createdAt: String(now()),
    id: null,
    _version: INSPECTION_FORMAT,
  });
  const context = (value: unknown): JsonValue => summarise(value, { limits: SUMMARY_LIMITS, redact, describe });
  const all = (): readonly StandIn[] => [...readers].flatMap((reader) => reader());
  const stateOf = ({ status, value, context: own }: StandIn): ActorState => ({ status, value, context: context(own) });
  const actorOf = ({ id, name }: StandIn, snapshot: ActorState): InspectionEvent => {
    const definition = JSON.stringify({ id: name });
    return { ...base(id), type: '@xstate.actor', name, definition, snapshot };
  };
  const read = (): void => {
    for (const one of all()) {
      const snapshot = stateOf(one);
      const text = JSON.stringify(snapshot);
      if (known.get(one.id) === text) continue;
      const isNew = !known.has(one.id);
      known.set(one.id, text);
      if (isNew) emit(actorOf(one, snapshot));
      else emit({ ...base(one.id), type: '@xstate.snapshot', event: { type: 'changed' }, snapshot });
    }
  };
  return {
    readers,
    read,
    emitActors: (sink: Sink): void => {
      for (const one of all()) sink(actorOf(one, stateOf(one)));
    },
  };
}

const ENGINE_STATE = 'the state of the engine';

export function createInspector(parts: InspectorParts): Inspector {
  const { now, redact, warn } = parts;
  const roots = new Map<string, { readonly name: string; readonly root: AnyActorRef }>();
  const observed = new Map<string, Observation>();
  const runs = new WeakSet<object>();
  const describe = describing(runs);
  const sinks = new Set<Sink>();
  let count = 0;

  const emit: Sink = (event) => {
    for (const sink of sinks) sink(event);
  };
  const failed = (what: string, thrown: unknown): void => warn(`${what} can't be inspected: ${messageOf(thrown)}`);
  const safely = (what: string, work: () => void): void => {
    try {
      work();
    } catch (thrown) {
      failed(what, thrown);
    }
  };
  const standIns = createStandIns(parts, describe, (event) => emit(event));
  const begin = (system: string): void => {
    const found = roots.get(system);
    if (found === undefined || observed.has(system)) return;
    const converter = createConverter({ system, name: found.name, now, redact, describe });
    safely(found.name, () => {
      const run = runOf(found.root);
      if (run !== null) runs.add(run);
      observed.set(
        system,
        observe(found.root, converter, emit, (thrown) => {
          end(system);
          failed(found.name, thrown);
        }),
      );
    });
  };
  const end = (system: string): void => {
    observed.get(system)?.end();
    observed.delete(system);
  };
  const readStandIns = (): void => safely(ENGINE_STATE, standIns.read);

  return {
    watch: (name, root) => {
      count += 1;
      const system = `a${count}`;
      roots.set(system, { name: redact(name), root });
      const gone = (): void => {
        // XState emits the last snapshot only after it has notified the actor's observers.
        queueMicrotask(() => {
          end(system);
          roots.delete(system);
        });
      };
      root.subscribe({ complete: gone, error: gone });
      if (sinks.size > 0) begin(system);
    },
    watchStandIns: (read) => {
      standIns.readers.add(read);
    },
    changed: () => {
      if (sinks.size > 0) readStandIns();
    },
    subscribe: (sink) => {
      for (const [system, { emitActors }] of [...observed])
        safely(roots.get(system)?.name ?? system, () => emitActors(sink));
      readStandIns();
      safely(ENGINE_STATE, () => standIns.emitActors(sink));
      sinks.add(sink);
      for (const system of roots.keys()) begin(system);
      return () => {
        sinks.delete(sink);
        if (sinks.size === 0) for (const system of [...observed.keys()]) end(system);
      };
    },
  };
}
