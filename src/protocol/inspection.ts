import type { JsonObject, JsonValue } from './json.ts';

/**
 * A message about live actors to an inspector, in the wire format of the Stately inspector (`@statelyai/inspect` 0.7):
 * one JSON object for each actor, event and snapshot. Programs that use `createWebSocketInspector` send the same
 * objects.
 */
export type InspectionEvent = InspectedActor | InspectedEvent | InspectedSnapshot | InspectedMicrostep;

interface Inspected {
  /** Unique among all actors that one inspector shows. */
  readonly sessionId: string;
  /** The `sessionId` of the root actor of the same system. */
  readonly rootId?: string;
  /** Milliseconds since the epoch, as text. */
  readonly createdAt: string;
  readonly id: null;
  /** The version of the wire format. */
  readonly _version: string;
}

/** An actor was created, or already existed when the inspection began. */
export interface InspectedActor extends Inspected {
  readonly type: '@xstate.actor';
  readonly name: string;
  readonly parentId?: string;
  /** The machine's config as JSON text; for other logic only its id. */
  readonly definition?: string;
  readonly snapshot: ActorState;
}

/** An actor was sent an event. */
interface InspectedEvent extends Inspected {
  readonly type: '@xstate.event';
  readonly event: TypedEvent;
  readonly sourceId?: string;
}

/** An actor has processed an event. */
interface InspectedSnapshot extends Inspected {
  readonly type: '@xstate.snapshot';
  readonly event: TypedEvent;
  readonly snapshot: ActorState;
}

/**
 * A machine took one microstep within a transition. Not part of Stately's format: Stately's own page ignores this type.
 */
interface InspectedMicrostep extends Inspected {
  readonly type: '@xstate.microstep';
  readonly event: TypedEvent;
  readonly snapshot: ActorState;
}

export type TypedEvent = JsonObject & { readonly type: string };

/** The summary of a snapshot. `value` is the state of a machine, as XState writes it. */
export interface ActorState {
  readonly status: string;
  readonly value?: JsonValue;
  readonly context?: JsonValue;
  readonly output?: JsonValue;
  readonly error?: JsonValue;
}

/** The version of `@statelyai/inspect` that defines this format. */
export const INSPECTION_FORMAT = '0.7.2';
