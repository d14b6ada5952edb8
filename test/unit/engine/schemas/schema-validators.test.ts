import { expect, test } from 'vitest';
import { validatorOf } from '#engine/schemas/schema-validators.ts';
import type { JsonValue } from '#protocol/json.ts';

/** Builds a chain of definitions, each of which uses the previous one twice. */
const doubling = (levels: number) => ({
  $defs: Object.fromEntries(
    Array.from({ length: levels }, (_, at) => {
      const before = { $ref: `#/$defs/a${at - 1}` };
      return [`a${at}`, at === 0 ? { type: 'string' } : { allOf: [before, before] }];
    }),
  ),
  $ref: `#/$defs/a${levels - 1}`,
});

const either = (other: string) => ({
  type: 'object',
  properties: { x: { $ref: '#/$defs/t' } },
  required: ['x', other],
});
const nested = (levels: number): JsonValue => (levels === 0 ? 1 : { x: nested(levels - 1) });

test.each<[string, object, JsonValue]>([
  ['references that double, and fit', doubling(64), 'text'],
  [
    'alternatives within alternatives',
    { $defs: { t: { anyOf: [either('y'), either('z')] } }, $ref: '#/$defs/t' },
    nested(64),
  ],
  [
    'items that are compared with each other',
    { uniqueItems: true },
    Array.from({ length: 200_000 }, (_, a) => ({ a })),
  ],
])('a check that would not end is broken off: %s', (_, schema, value) => {
  expect(validatorOf(schema as never)(value)).toEqual(["/ can't be validated within 1000 ms"]);
});

test('a schema that refers to itself fails as data', () => {
  expect(validatorOf({ $ref: '#' })(5)).toEqual([
    expect.stringContaining("/ can't be validated: Maximum call stack size exceeded"),
  ]);
});

test('of very many problems the first ones are told', () => {
  const problems = validatorOf({ items: { type: 'string' } })(Array.from({ length: 5_000 }, () => 1));
  expect([problems.length, problems[0]]).toEqual([1_000, '/0 must be string']);
});
