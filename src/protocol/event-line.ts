import type { Count } from './count.ts';
import type { AttemptScope, RoboSmithEvent } from './event.ts';

/**
 * A line of `.flow/logs/events.jsonl`: the event, or an abridged one if it is too large or can't be written as JSON.
 * Only an abridged event has a `payload`.
 */
export type LoggedEvent = RoboSmithEvent | AbridgedEvent;

/** The ids and the place of the event, except those that are too long. `payload` replaces all other properties. */
export type AbridgedEvent = EventHead & Partial<AttemptScope> & { readonly payload: LoggedPayload };

interface EventHead extends Pick<RoboSmithEvent, 'seq' | 'run_id' | 'trace_id' | 'time'> {
  /** `unknown` if the logged value is not an event. */
  readonly type: RoboSmithEvent['type'] | 'unknown';
}

export type LoggedPayload =
  | BlobReference
  /** The reason why the event can't be written as JSON. */
  | { readonly unserialisable: string }
  /** The reason why the blob of a large event could not be written. */
  | { readonly unsaved: string };

/** The file `.flow/artifacts/<ref>`, which holds the whole event until its run ends. */
export interface BlobReference {
  readonly type: 'blob_ref';
  /** `blob_<id>.json` */
  readonly ref: string;
  readonly bytes: Count;
  /** True keeps the blob after the run has completed or was cancelled. */
  readonly preserve: boolean;
}
