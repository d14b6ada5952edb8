import type { JsonObject } from '#protocol/json.ts';
import { isObject, listOr, numberOr, objectOr, stringOr, type Json } from './json-reading.ts';
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

const listed = (value: Json): readonly Json[] => (Array.isArray(value) ? listOr(value) : [value]);

/** Converts rows keyed by signal (`on`, `default_transitions`) to rows in the format of `transitions`. */
export const readShortRows = (short: JsonObject): readonly JsonObject[] =>
  Object.entries(short).flatMap(([key, value]) =>
    listed(value).map((row) => ({
      on_signal: key.startsWith('SIGNAL:') ? key : `SIGNAL:${key}`,
      ...(isObject(row) ? row : { action: stringOr(row, '') }),
    })),
  );

/**
 * Returns a block in which `check` is replaced by evidence and a recovery policy. `commands` are those of the manifest.
 */
export const withoutCheck = (block: JsonObject, commands: JsonObject): JsonObject => {
  const { check, ...rest } = block;
  if (check === undefined) return block;
  const settings = isObject(check) ? check : { command: check };
  const { command } = settings;
  const argv = typeof command === 'string' ? listOr(commands[command]) : listOr(command);
  const retry = {
    policy: 'retry',
    max_attempts: numberOr(settings['attempts'], 3),
    repeat_effects: true,
  };
  return {
    ...rest,
    evidence: [...listOr(block['evidence']), { command: argv }],
    recovery: { evidence_failed: [retry], ...objectOr(block['recovery']) },
  };
};
