import { describe, expect, test } from 'vitest';
import { createSchemaCheck } from '#engine/schemas/json-schema.ts';
import { validatorOf } from '#engine/schemas/schema-validators.ts';

const matching = (pattern: string) => ({ type: 'object', properties: { a: { type: 'string', pattern } } });

test.each(['^(a+)+$', '^(a|aa)+$', '^(a|a?)+$', '(.*a){20}$', '^([a-zA-Z0-9])(([\\-.]|[_]+)?([a-zA-Z0-9]+))*$'])(
  'the pattern %s meets its worst text, and answers',
  (pattern) => {
    expect(validatorOf(matching(pattern))({ a: `${'a'.repeat(50_000)}!` })).toEqual([
      `/a must match pattern "${pattern}"`,
    ]);
  },
);

test('patterns of names of properties answer as well', () => {
  const schema = { type: 'object', patternProperties: { '^(a+)+$': false }, propertyNames: { pattern: '^(b|bb)+$' } };
  expect(validatorOf(schema)({ ['a'.repeat(10_000) + '!']: 1 })).not.toEqual([]);
});

describe('patterns mean what they mean in JavaScript', () => {
  test.each([
    ['^\\d{3}-\\w+$', '123-abc', true],
    ['^\\u00e9$', 'é', true],
    ['[\\u4e00-\\u9fa5]', '中', true],
    ['^(?<year>\\d{4})$', '2026', true],
    ['a/b', 'a/b', true],
    ['^\\p{L}+$', 'Größe', true],
    ['b$', 'b\n', false],
    ['^a|b$', 'xb', true],
    ['^(?:😀)$', '😀', true],
  ])('%s on %j: %s', (pattern, text, fits) => {
    expect(validatorOf(matching(pattern))({ a: text }).length === 0).toBe(fits);
  });
});

test.each(['^(?=a)', '(?!b)a', '(?<=a)b', '(a)\\1', '(?<x>a)\\k<x>'])('%s is refused, with the reason', (pattern) => {
  expect(createSchemaCheck()(matching(pattern))).toContain(
    'look-around and back references are not supported, because patterns match in linear time',
  );
});

test('a pattern of more than 10,000 characters is refused', () => {
  expect(createSchemaCheck()(matching('a'.repeat(10_001)))).toContain('it has more than 10000 characters');
});
