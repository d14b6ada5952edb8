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
  Object.values(rows).flatMap((value): readonly JsonValue[] => (isList(value) ? value : [value])).filter(hasVerdict);

/** Returns the entries of a list that are no rows with `all` or `any`. They keep their places. */
function withoutVerdicts(list: readonly JsonValue[], { origins }: Diagnose): readonly JsonValue[] {
  const kept = list.flatMap((value, index) => (hasVerdict(value) ? [] : [index]));
  if (kept.length === list.length) return list;
  const made = kept.map((index) => list[index] ?? null);
  const origin = origins.get(list);
  if (origin !== undefined) origins.set(made, { ...origin, offsets: kept.map((index) => origin.offsets[index] ?? 0) });
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
  const to = readString(row, 'to') ?? (next === null ? 'RETURN' : `Block:${next}`);
  const made: JsonObject = { SUCCESS: to, ...Object.fromEntries(others) };
  const origin = diagnose.origins.get(rows);
  if (origin === undefined) return made;
  const place = has(row, 'to') ? { container: row, member: 'to' } : spot;
  const offsets = [
    diagnose.at(spot).offset,
    diagnose.at(place).offset,
    ...others.flatMap(([member]) => [
      diagnose.at({ container: rows, member, side: 'key' }).offset,
      diagnose.at({ container: rows, member }).offset,
    ]),
  ];
  diagnose.origins.set(made, { ...origin, keys: Object.keys(made), offsets, index: null });
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
