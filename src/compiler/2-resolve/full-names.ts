import type { JsonObject, JsonValue } from '#protocol/json.ts';
import type { Diagnose } from '../1-parse/diagnose.ts';
import { isList, isObject, readString } from '../1-parse/json-reader.ts';
import type { Spot } from '../1-parse/origins.ts';
import { type KnownWorkers, workersNamed } from './worker-names.ts';

const SIGNAL = 'SIGNAL:';

/** Returns a signal with its prefix. */
export const fullSignal = (written: string): string => (written.startsWith(SIGNAL) ? written : SIGNAL + written);

/** Converts one member of an object or list. Returns the same value if there is nothing to convert. */
type Convert = (value: JsonValue, spot: Spot) => JsonValue;

const signalValue: Convert = (value) =>
  typeof value === 'string' && /^[A-Z0-9_]+$/.test(value) ? SIGNAL + value : value;

/** Returns an object with some members converted, or the same object if none changes. The copy has the same place. */
function convertMembers(
  object: JsonObject,
  conversions: Readonly<Record<string, Convert>>,
  { origins }: Diagnose,
): JsonObject {
  const changed: Record<string, JsonValue> = {};
  for (const [key, convert] of Object.entries(conversions)) {
    const value = Object.hasOwn(object, key) ? object[key] : undefined;
    if (value === undefined) continue;
    const converted = convert(value, { container: object, member: key });
    if (converted !== value) changed[key] = converted;
  }
  if (Object.keys(changed).length === 0) return object;
  const made = { ...object, ...changed };
  const origin = origins.get(object);
  if (origin !== undefined) origins.set(made, origin);
  return made;
}

/** Returns a conversion of all entries of a list. */
const eachEntry =
  (convert: Convert, { origins }: Diagnose): Convert =>
  (list) => {
    if (!isList(list)) return list;
    const made = list.map((value, member) => convert(value, { container: list, member }));
    if (made.every((value, index) => value === list[index])) return list;
    const origin = origins.get(list);
    if (origin !== undefined) origins.set(made, origin);
    return made;
  };

/** Returns a conversion of all members of an object. */
const eachMember =
  (convert: Convert, diagnose: Diagnose): Convert =>
  (object) =>
    isObject(object)
      ? convertMembers(object, Object.fromEntries(Object.keys(object).map((key) => [key, convert])), diagnose)
      : object;

const inObject =
  (conversions: Readonly<Record<string, Convert>>, diagnose: Diagnose): Convert =>
  (value) =>
    isObject(value) ? convertMembers(value, conversions, diagnose) : value;

/** Returns a condition whose signals have their prefix. The built-in conditions `returned.*` take a signal first. */
export function fullCondition(condition: JsonObject, diagnose: Diagnose): JsonObject {
  if (readString(condition, 'id')?.startsWith('returned.') !== true) return condition;
  const first: Convert = (value, spot) => (spot.member === 0 ? signalValue(value, spot) : value);
  return convertMembers(condition, { args: eachEntry(first, diagnose) }, diagnose);
}

/** Returns the settings of a declared worker with full names of signals. */
export const fullWorker = (settings: JsonValue, diagnose: Diagnose): JsonValue =>
  inObject({ signals: eachMember(signalValue, diagnose) }, diagnose)(settings, { container: {} });

/** Returns a conversion of a worker's name to its full form. An ambiguous name is reported. */
const workerValue =
  (known: KnownWorkers, { report }: Diagnose): Convert =>
  (value, spot) => {
    if (typeof value !== 'string') return value;
    const [name = value, other] = workersNamed(value, known);
    if (other !== undefined) {
      // The registry has no prefix for its names: a worker of kind `module` gives such a worker another name.
      const clear = [name, other].filter((one) => one !== value).map((one) => `"${one}"`);
      const remedy = clear.length === 2 ? clear.join(' or ') : `${clear.join('')}, or rename the one in the registry`;
      report('RS2070', spot, { name: value, first: `"${name}"`, second: `"${other}"`, remedy });
    }
    return name;
  };

/** The settings of built-in workers that contain signals. */
const paramsOf = (worker: string, diagnose: Diagnose): Readonly<Record<string, Convert>> => {
  if (worker === 'Internal:Verdict') return { signal: signalValue, failed_as: signalValue };
  return worker === 'Internal:Command' ? { signals: eachMember(signalValue, diagnose) } : {};
};

/** Returns a block in which workers and signals have their full names. Rows of `on` are converted with their rows. */
export function fullBlock(block: JsonObject, known: KnownWorkers, diagnose: Diagnose): JsonObject {
  const worker = workerValue(known, diagnose);
  const policies = eachEntry(inObject({ worker }, diagnose), diagnose);
  const condition: Convert = (value) => (isObject(value) ? fullCondition(value, diagnose) : value);
  const row = inObject({ on_signal: signalValue, condition }, diagnose);
  const named = convertMembers(
    block,
    { worker, recovery: eachMember(policies, diagnose), transitions: eachEntry(row, diagnose) },
    diagnose,
  );
  const params = paramsOf(readString(named, 'worker') ?? '', diagnose);
  return convertMembers(named, { params: inObject(params, diagnose) }, diagnose);
}
