import type { AttemptScope, RoboSmithEvent } from './event.ts';

/**
 * A line of `.flow/logs/events.jsonl`: the event as it is, or, where it is too large or no JSON, an abridged one.
 * No event has a `payload` of its own: the key tells the two apart.
 */
export type LoggedEvent = RoboSmithEvent | AbridgedEvent;

/** The ids, and where the event happened, as far as it says so in a few characters; `payload` stands for the rest. */
export type AbridgedEvent = EventHead & Partial<AttemptScope> & { readonly payload: LoggedPayload };

export interface EventHead extends Pick<RoboSmithEvent, 'seq' | 'run_id' | 'trace_id' | 'time'> {
  /** `unknown` where what was to be written is no event. */
  readonly type: RoboSmithEvent['type'] | 'unknown';
}

export type LoggedPayload =
  | BlobReference
  /** The event is no JSON: why. */
  | { readonly unserialisable: string }
  /** The event is too large for a line, and its blob could not be written: why. */
  | { readonly unsaved: string };

/** The whole event is in `.flow/artifacts/<ref>`, until its run ends (seed 003 §3.5). */
export interface BlobReference {
  readonly type: 'blob_ref';
  /** `blob_<id>.json` */
  readonly ref: string;
  readonly bytes: number;
  /** The blob stays when the run completes or is cancelled. */
  readonly preserve: boolean;
}
