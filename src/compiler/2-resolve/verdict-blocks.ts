import type { JsonObject, JsonValue } from '#protocol/json.ts';
import type { Diagnose } from '../1-parse/diagnose.ts';
import { has, isList, readObject, readString } from '../1-parse/json-reader.ts';
import type { Origin, Spot } from '../1-parse/origins.ts';
import { fullSignal } from './full-names.ts';
import { hasVerdict, verdictName } from './short-ways.ts';

/** A block that a row with `all` or `any` adds behind its own block. */
export interface VerdictBlock {
  readonly name: string;
  readonly value: JsonObject;
  /** The place of the row's `all` or `any`. */
  readonly spot: Spot;
}

const SUCCESS = 'SIGNAL:SUCCESS';

/** Returns the rows with `all` or `any` in written order. */
const verdictRows = (rows: JsonObject): readonly JsonObject[] =>
  Object.values(rows)
    .flatMap((value): readonly JsonValue[] => (isList(value) ? value : [value]))
    .filter(hasVerdict);

/** Returns the entries of a list that are no rows with `all` or `any`. They keep their places. */
function withoutVerdicts(list: readonly JsonValue[], { origins }: Diagnose): readonly JsonValue[] {
  const kept = list.flatMap((value, index) => (hasVerdict(value) ? [] : [index]));
  if (kept.length === list.length) return list;
  const made = kept.map((index) => list[index] ?? null);
  const origin = origins.get(list);
  if (origin !== undefined) origins.set(made, { ...origin, offsets: kept.map((index) => origin.offsets[index] ?? 0) });
  return made;
}

/** Returns where a run continues after a verdict of success, at the place of the row's `to`. */
function continuation(row: JsonObject, next: string | null, { origins }: Diagnose): JsonValue {
  const to = readString(row, 'to');
  if (to === null) return next === null ? 'RETURN' : `Block:${next}`;
  const made: JsonObject = { to };
  const origin = origins.get(row);
  if (origin !== undefined) origins.set(made, origin);
  return made;
}

/**
 * Returns the rows of a verdict: success continues where the row with `all` or `any` says, and all other signals are
 * handled as by the block itself.
 */
function rowsOfVerdict(rows: JsonObject, row: JsonObject, spot: Spot, next: string | null, diagnose: Diagnose) {
  const others = Object.entries(rows).flatMap(([key, value]): readonly (readonly [string, JsonValue])[] => {
    if (fullSignal(key) === SUCCESS || hasVerdict(value)) return [];
    const kept = isList(value) ? withoutVerdicts(value, diagnose) : value;
    return isList(kept) && kept.length === 0 ? [] : [[key, kept]];
  });
  const made: JsonObject = { SUCCESS: continuation(row, next, diagnose), ...Object.fromEntries(others) };
  const origin = diagnose.origins.get(rows);
  if (origin === undefined) return made;
  const at = diagnose.at(spot).offset;
  const offsets = others.flatMap(([member]) => [
    diagnose.at({ container: rows, member, side: 'key' }).offset,
    diagnose.at({ container: rows, member }).offset,
  ]);
  diagnose.origins.set(made, { ...origin, keys: Object.keys(made), offsets: [at, at, ...offsets], index: null });
  return made;
}

const originOf = (origin: Origin): Origin => ({ ...origin, keys: [], offsets: [], index: null });

/**
 * Returns the blocks that count what the branches of `all` and `any` return. `next` is the name of the block that is
 * written after this one.
 */
export function verdictBlocks(
  name: string,
  block: JsonObject,
  next: string | null,
  diagnose: Diagnose,
): readonly VerdictBlock[] {
  const rows = readObject(block, 'on');
  if (rows === null) return [];
  return verdictRows(rows).map((row, index) => {
    const rule = has(row, 'all') ? 'all' : 'any';
    const spot: Spot = { container: row, member: rule, side: 'key' };
    const value: JsonObject = {
      worker: 'Internal:Verdict',
      params: { rule },
      on: rowsOfVerdict(rows, row, spot, next, diagnose),
    };
    const origin = diagnose.origins.get(block);
    if (origin !== undefined) diagnose.origins.set(value, originOf(origin));
    return { name: verdictName(name, index + 1), value, spot };
  });
}
