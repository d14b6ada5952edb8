import { isObject } from './json.ts';
import type { InspectionEvent } from './inspection.ts';

const TYPES: ReadonlySet<unknown> = new Set([
  '@xstate.actor',
  '@xstate.event',
  '@xstate.snapshot',
  '@xstate.microstep',
] satisfies readonly InspectionEvent['type'][]);

const isTyped = (value: unknown): boolean => isObject(value) && typeof value['type'] === 'string';

/** Maximum length of an actor's id or name. */
const LONGEST = 1_000;

const isShort = (value: unknown): boolean => typeof value === 'string' && value.length <= LONGEST;
const isShortOrNone = (value: unknown): boolean => value === undefined || value === null || isShort(value);

/**
 * Returns the value if it has the shape of an inspection event, else null. The value may come from any program or
 * recording, so it is not trusted.
 */
export function readInspection(value: unknown): InspectionEvent | null {
  if (!isObject(value) || !TYPES.has(value['type']) || !isShort(value['sessionId'])) return null;
  if (![value['rootId'], value['parentId'], value['sourceId'], value['name']].every(isShortOrNone)) return null;
  const { type, snapshot } = value;
  if (type === '@xstate.actor' && (!isShort(value['name']) || !isObject(snapshot))) return null;
  if (type !== '@xstate.actor' && !isTyped(value['event'])) return null;
  if ((type === '@xstate.snapshot' || type === '@xstate.microstep') && !isObject(snapshot)) return null;
  return value as unknown as InspectionEvent;
}
