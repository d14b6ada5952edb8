import type { AbridgedEvent, LoggedPayload } from '#protocol/event-line.ts';
import type { RoboSmithEvent } from '#protocol/event.ts';
import type { RunId } from '#protocol/id.ts';
import { messageOf } from '#protocol/message-of.ts';
import { findObstacle } from './find-obstacle.ts';

type Head = Pick<RoboSmithEvent, 'seq' | 'run_id' | 'trace_id' | 'time' | 'type'>;

/** Returns whether a value has the fields that every event has. */
export function hasEventHead(value: object): value is Head {
  const { seq, run_id, trace_id, time, type } = value as Partial<Readonly<Record<keyof Head, unknown>>>;
  return (
    Number.isSafeInteger(seq) &&
    Number.isFinite(time) &&
    typeof run_id === 'string' &&
    typeof trace_id === 'string' &&
    typeof type === 'string'
  );
}

/** Escapes U+2028 and U+2029: they are valid JSON, but some line readers, Node's among them, break a line there. */
const escapeSeparators = (text: string): string =>
  text.includes('\u2028') || text.includes('\u2029')
    ? text.replaceAll('\u2028', '\\u2028').replaceAll('\u2029', '\\u2029')
    : text;

export const toLine = (value: unknown): string => escapeSeparators(JSON.stringify(value));

type Serialised =
  | { readonly ok: true; readonly line: string; readonly run: RunId; readonly seq: number }
  | { readonly ok: false; readonly why: string };

const LONGEST_WHY = 200;

/** Serialises any value; never throws. */
export function serialise(event: unknown): Serialised {
  try {
    if (typeof event !== 'object' || event === null) return { ok: false, why: 'it is not an event' };
    const obstacle = findObstacle(event);
    if (obstacle !== null) return { ok: false, why: obstacle };
    if (!hasEventHead(event)) return { ok: false, why: 'it is not an event' };
    return { ok: true, line: toLine(event), run: event.run_id, seq: event.seq };
  } catch (thrown) {
    return { ok: false, why: messageOf(thrown).slice(0, LONGEST_WHY) };
  }
}

const SCOPE = [
  'node',
  'block',
  'frame',
  'depth',
  'visit',
  'step_key',
  'attempt',
  'span_id',
  'parent_span_id',
  'started_at',
  'side_effect_class',
] as const;

/** The maximum length of a field in an abridged line, which must stay below the size limit of lines. */
const LONGEST_FIELD = 256;

type Small = string | number;

/** Reads a short field. The read may throw, because `event` may be a proxy, have a getter, or not be an object. */
function readSmall(event: unknown, key: string): Small | undefined {
  try {
    const value = (event as Readonly<Record<string, unknown>>)[key];
    if (typeof value === 'number') return Number.isFinite(value) ? value : undefined;
    return typeof value === 'string' && Buffer.byteLength(JSON.stringify(value)) <= LONGEST_FIELD ? value : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Returns the fields that say where and when the event happened, with `payload` in place of all others. Never throws.
 */
export function abridge(event: unknown, payload: LoggedPayload, now: number): AbridgedEvent {
  const text = (key: string, otherwise: string): string => {
    const value = readSmall(event, key);
    return typeof value === 'string' ? value : otherwise;
  };
  const number = (key: string, otherwise: number): number => {
    const value = readSmall(event, key);
    return typeof value === 'number' ? value : otherwise;
  };
  const seq = number('seq', 0);
  return {
    seq: Number.isSafeInteger(seq) ? seq : 0,
    run_id: text('run_id', '') as RunId,
    trace_id: text('trace_id', ''),
    time: number('time', now),
    type: text('type', 'unknown') as RoboSmithEvent['type'] | 'unknown',
    ...Object.fromEntries(SCOPE.map((key) => [key, readSmall(event, key)])),
    payload,
  };
}
