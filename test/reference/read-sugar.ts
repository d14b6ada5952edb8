import type { JsonObject } from '#protocol/json.ts';
import { isObject, stringOr, type Json } from './json-reading.ts';
import type { Place } from './parse-action.ts';

export interface WrittenRow {
  readonly signal: string;
  readonly action: string;
}

const actionOf = (step: JsonObject, block: string, place: Place): string => {
  switch (step['type']) {
    case 'proceed':
      return place.next === null ? 'RETURN' : `JUMP:${place.next}`;
    case 'execute_node':
      return `CALL:${stringOr(step['node'], '')}:${block}`;
    case 'stop_and_flag':
      return 'HALT_AND_FLAG';
    case 'jump':
      return `JUMP:${stringOr(step['block'], '')}`;
    case 'return':
      return 'RETURN';
    default:
      throw new Error(`not a step: ${JSON.stringify(step)}`);
  }
};

/** Converts `onSuccess` and `onFailure` to rows, or returns null if the block has neither. */
export const readSugar = (
  onSuccess: Json,
  onFailure: Json,
  block: string,
  place: Place,
): readonly WrittenRow[] | null => {
  if (onSuccess === undefined && onFailure === undefined) return null;
  const failure = isObject(onFailure) ? actionOf(onFailure, block, place) : 'HALT_AND_FLAG';
  const rows: WrittenRow[] = [];
  const success = isObject(onSuccess) ? onSuccess : { type: 'proceed' };
  rows.push({ signal: 'SIGNAL:SUCCESS', action: actionOf(success, block, place) });
  rows.push({ signal: 'SIGNAL:FAIL_DEFAULT', action: failure });
  return rows;
};
