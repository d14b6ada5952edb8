import type { AnyActorRef, InspectionEvent as XStateEvent } from 'xstate';
import {
  type ActorState,
  type InspectedActor,
  INSPECTION_FORMAT,
  type InspectionEvent,
  type TypedEvent,
} from '#protocol/inspection.ts';
import { isObject, type JsonValue } from '#protocol/json.ts';
import { shorten, summarise, SUMMARY_LIMITS, type SummaryParts } from './summarise.ts';

interface ConverterParts {
  /** Distinguishes the actors of this system: XState numbers the actors of each system from 0. */
  readonly system: string;
  /** The name of the system's root actor, for people. */
  readonly name: string;
  readonly now: () => number;
  readonly redact: (text: string) => string;
  readonly describe: SummaryParts['describe'];
}

/** Longest name of an actor: readers refuse longer ones. */
const LONGEST_NAME = 300;

/**
 * The maximum size of a machine's config in characters. A larger config is left out, because its chart would not be
 * legible.
 */
const LARGEST_DEFINITION = 2_000_000;

const definitions = new WeakMap<object, string>();

/** Returns a machine's config without its functions; for other logic only the id. */
function definitionOf(config: unknown, id: string): string {
  const named = JSON.stringify({ id });
  if (typeof config !== 'object' || config === null) return named;
  const known = definitions.get(config);
  if (known !== undefined) return known;
  const rest = Object.entries(config).filter(([key]) => key !== 'context' && key !== 'output');
  const text = JSON.stringify(Object.fromEntries(rest));
  const definition = text.length > LARGEST_DEFINITION ? named : text;
  definitions.set(config, definition);
  return definition;
}

interface SnapshotLike {
  readonly status?: unknown;
  readonly value?: unknown;
  readonly context?: unknown;
  readonly output?: unknown;
  readonly error?: unknown;
}

/** Returns an actor's snapshot; null while the actor initialises itself. */
export function snapshotOf(ref: AnyActorRef): unknown {
  try {
    return ref.getSnapshot() ?? null;
  } catch {
    return null;
  }
}

/**
 * Returns the displayed name of an actor. The name of a frame contains the name of its node; the body of a node is
 * named after its machine.
 */
function nameOf(ref: AnyActorRef, machine: string | null, describe: SummaryParts['describe']): string {
  const { id, sessionId } = ref;
  if (machine === null) return id;
  if (!machine.startsWith('@')) return id === sessionId || id === 'body' ? machine : id;
  const { context } = (snapshotOf(ref) ?? {}) as { readonly context?: { readonly frame?: object } };
  const frame = context?.frame === undefined ? undefined : describe(context.frame);
  return typeof frame === 'object' && typeof frame['node'] === 'string' ? `${id} ${frame['node']}` : id;
}

/** Converts the inspection events of one actor system to the wire format, without executing code of the actors. */
export function createConverter({ system, name, now, redact, describe }: ConverterParts) {
  const parts: SummaryParts = { limits: SUMMARY_LIMITS, redact, describe };
  /**
   * The summary of the latest event, which is reused because XState reports an event several times in succession: as
   * sent, for each microstep, and with the snapshot.
   */
  let latest: { readonly event: unknown; readonly summary: TypedEvent } | null = null;
  const short = (value: unknown): JsonValue => summarise(value, parts);
  const idOf = ({ sessionId }: { readonly sessionId: string }): string => `${system}/${sessionId}`;
  const base = (rootId: string) => ({
    rootId: `${system}/${rootId}`,
    createdAt: String(now()),
    id: null,
    _version: INSPECTION_FORMAT,
  });
  const stateOf = (snapshot: unknown): ActorState => {
    const { status, value, context, output, error } = (snapshot ?? {}) as SnapshotLike;
    return {
      status: typeof status === 'string' ? status : 'active',
      ...(value === undefined ? {} : { value: short(value) }),
      ...(context === undefined ? {} : { context: short(context) }),
      ...(output === undefined ? {} : { output: short(output) }),
      ...(error === undefined ? {} : { error: short(error) }),
    };
  };
  const eventOf = (event: unknown): TypedEvent => {
    if (latest !== null && latest.event === event) return latest.summary;
    const whole = short(event);
    const fields = isObject(whole) ? whole : {};
    const { type } = fields;
    const summary = { ...fields, type: typeof type === 'string' ? type : 'unreadable' };
    latest = { event, summary };
    return summary;
  };

  const actor = (ref: AnyActorRef, rootId: string): InspectedActor => {
    const { logic, _parent: parent } = ref as AnyActorRef & { logic?: { config?: { id?: unknown } } };
    const config = logic?.config;
    const own = nameOf(ref, typeof config?.id === 'string' ? config.id : null, describe);
    const named = shorten(own, LONGEST_NAME, redact);
    return {
      ...base(rootId),
      type: '@xstate.actor',
      name: parent === undefined ? name : named,
      sessionId: idOf(ref),
      ...(parent === undefined ? {} : { parentId: idOf(parent) }),
      definition: definitionOf(config, named),
      snapshot: stateOf(snapshotOf(ref)),
    };
  };

  const event = (one: XStateEvent): InspectionEvent | null => {
    const ref = one.actorRef as AnyActorRef;
    const common = { ...base(one.rootId), sessionId: idOf(ref) };
    switch (one.type) {
      case '@xstate.actor':
        return actor(ref, one.rootId);
      case '@xstate.event':
        return {
          ...common,
          type: '@xstate.event',
          event: eventOf(one.event),
          ...(one.sourceRef === undefined ? {} : { sourceId: idOf(one.sourceRef) }),
        };
      case '@xstate.snapshot':
      case '@xstate.microstep':
        return { ...common, type: one.type, event: eventOf(one.event), snapshot: stateOf(one.snapshot) };
      case '@xstate.transition':
      case '@xstate.action':
        return null;
    }
  };
  return { actor, event, idOf };
}
