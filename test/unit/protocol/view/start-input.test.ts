import { expect, test } from 'vitest';
import type { ViewInput } from '#protocol/generated/view.gen.ts';
import { fieldProblem, mustBeAsked, startFields, startInput, TASK } from '#protocol/start-input.ts';

const input = (name: string, more: Partial<ViewInput> = {}): ViewInput => ({
  name,
  type: 'string',
  description: null,
  values: null,
  fallback: null,
  ...more,
});

const BUG = input('bug', { description: 'What is wrong' });
const LEVEL = input('level', { values: ['low', 'high'], fallback: 'low' });
const COUNT = input('count', { type: 'number' });
const DRY = input('dry', { type: 'boolean', fallback: false });

/** Cases: declared inputs, title, entered values, and the input of the run, or a part of the problem. */
const STARTED: readonly (readonly [readonly ViewInput[], string, Readonly<Record<string, string>>, unknown])[] = [
  [[], 'Say hello', {}, 'Say hello'],
  [[], 'Say hello', { [TASK]: '  ' }, 'Say hello'],
  [[], 'Say hello', { [TASK]: 'Say hello in Latin\nand wave' }, 'Say hello in Latin\nand wave'],
  [[], '{"a": 1}', {}, '{"a": 1}'],
  [[BUG], 'Login fails', {}, { bug: 'Login fails' }],
  [[BUG], 'Login fails', { bug: 'x=1' }, { bug: 'x=1' }],
  [[BUG], 'bug=other', {}, { bug: 'bug=other' }],
  [[BUG, LEVEL], 'Login fails', {}, { bug: 'Login fails', level: 'low' }],
  [[BUG, LEVEL], 'Login fails', { level: 'high' }, { bug: 'Login fails', level: 'high' }],
  [[BUG, COUNT], 'Login fails', { count: '3' }, { bug: 'Login fails', count: 3 }],
  [[COUNT], 'Count', { count: '2.5' }, { count: 2.5 }],
  [[DRY], 'Try', {}, { dry: false }],
  [[DRY], 'Try', { dry: 'true' }, { dry: true }],
  [[input('a'), input('b')], 'T', { a: '1', b: '2' }, { a: '1', b: '2' }],
  [[input('constructor')], 'T', {}, { constructor: 'T' }],
];

test.each(STARTED)('%j, title %j, entered %j', (inputs, title, entered, expected) => {
  const read = startInput(inputs, title, new Map(Object.entries(entered)));
  expect(read.ok).toBe(true);
  if (read.ok) expect(typeof expected === 'string' ? read.input : JSON.parse(read.input)).toEqual(expected);
});

test('an input that the title can not give must be asked for, and has a type', () => {
  expect(startFields([BUG, COUNT, LEVEL]).filter(mustBeAsked)).toEqual([{ ...COUNT, isTitle: false }]);
  expect(startFields([input('a'), input('b')]).filter(mustBeAsked)).toHaveLength(2);
  expect(startInput([input('a'), input('b')], 'T', new Map([['a', '1']]))).toMatchObject({ ok: false });
  const [, count] = startFields([BUG, COUNT]);
  const [, level] = startFields([BUG, LEVEL]);
  if (count === undefined || level === undefined) throw new Error('a field is missing');
  expect(['', 'many', '3'].map((text) => fieldProblem(count, text))).toEqual([
    'Enter a value.',
    'Enter a number.',
    null,
  ]);
  expect(['', 'middle', 'high'].map((text) => fieldProblem(level, text))).toEqual([
    null,
    'Enter one of low, high.',
    null,
  ]);
});
