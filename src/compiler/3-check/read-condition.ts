import type { ConditionRef } from '#protocol/graph.ts';
import type { JsonObject, JsonValue } from '#protocol/json.ts';
import { FAIL_DEFAULT, isSignal } from '#protocol/signal.ts';
import type { Diagnose } from '../1-parse/diagnose.ts';
import { readList, readString } from '../1-parse/json-reader.ts';
import type { KnownNames } from './known-names.ts';

interface Signature {
  readonly expected: string;
  accepts(args: readonly JsonValue[]): boolean;
}

const isText = (value: JsonValue | undefined): boolean => typeof value === 'string';
const isNumber = (value: JsonValue | undefined): boolean => typeof value === 'number';

/** Returns whether a value is a signal that a child can return with. */
const isReturned = (value: JsonValue | undefined): boolean => isSignal(value) && value !== FAIL_DEFAULT;
const isCount = (value: JsonValue | undefined): boolean =>
  typeof value === 'number' && Number.isInteger(value) && value >= 1;

const ONE_SIGNAL: Signature = { expected: '[signal]', accepts: (args) => args.length === 1 && isReturned(args[0]) };

const ONE_NUMBER: Signature = { expected: '[number]', accepts: (args) => args.length === 1 && isNumber(args[0]) };

/** The arguments of the built-in conditions. */
const SIGNATURES: ReadonlyMap<string, Signature> = new Map([
  [
    'exports.equals',
    { expected: '[key, value]', accepts: (args: readonly JsonValue[]) => args.length === 2 && isText(args[0]) },
  ],
  [
    'exports.truthy',
    { expected: '[key]', accepts: (args: readonly JsonValue[]) => args.length === 1 && isText(args[0]) },
  ],
  [
    'payload.has_type',
    { expected: '[type]', accepts: (args: readonly JsonValue[]) => args.length === 1 && isText(args[0]) },
  ],
  ['response.success', { expected: '[]', accepts: (args: readonly JsonValue[]) => args.length === 0 }],
  ['attempt.less_than', ONE_NUMBER],
  ['visits.less_than', ONE_NUMBER],
  ['returned.all', ONE_SIGNAL],
  ['returned.any', ONE_SIGNAL],
  [
    'returned.count',
    {
      expected: '[signal, number from 1]',
      accepts: (args: readonly JsonValue[]) => args.length === 2 && isReturned(args[0]) && isCount(args[1]),
    },
  ],
]);

/** The built-in conditions, each with its arguments as text. */
export const BUILT_IN_CONDITIONS: ReadonlyMap<string, string> = new Map(
  [...SIGNATURES].map(([id, { expected }]) => [id, expected]),
);

/** Reads the condition of a row. Reports an unknown id, and wrong arguments of a built-in condition. */
export function readCondition(
  written: JsonObject,
  names: KnownNames,
  { report, nearest }: Diagnose,
): ConditionRef | null {
  const id = readString(written, 'id');
  if (id === null) return null;
  const args = readList(written, 'args') ?? [];
  const signature = SIGNATURES.get(id);
  if (signature !== undefined && !signature.accepts(args)) {
    report(
      'RS2018',
      { container: written, member: 'args' },
      { condition: id, expected: signature.expected, actual: JSON.stringify(args) },
    );
  }
  if (signature === undefined && !names.conditions.has(id)) {
    const known = [...SIGNATURES.keys(), ...names.conditions];
    report(
      'RS2017',
      { container: written, member: 'id' },
      { condition: id, known: known.join(', ') },
      { near: nearest(id, known) },
    );
  }
  return { id, args };
}
