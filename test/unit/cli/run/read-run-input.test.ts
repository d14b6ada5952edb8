import { expect, test } from 'vitest';
import { readRunInput } from '#cli/run/read-run-input.ts';
import type { Graph } from '#protocol/graph.ts';
import type { InputDeclaration, Inputs } from '#protocol/inputs.ts';
import { fakeIo } from '../../../support/fake-io.ts';

const TEXT: InputDeclaration = { type: 'string', description: null, values: null, fallback: null };

const read = (inputs: Inputs | undefined, texts?: readonly string[]) =>
  readRunInput(texts, { ...(inputs === undefined ? {} : { inputs }) } as Graph, fakeIo(), undefined, 'Issue #12');

test('an issue is the input, after the own words of the user', async () => {
  expect(await read(undefined)).toBe('Issue #12');
  expect(await read(undefined, ['Be careful.'])).toBe('Be careful.\n\nIssue #12');
});

test.each<[string, Inputs, readonly string[] | undefined, string]>([
  ['the only one', { bug: TEXT }, undefined, '{"bug":"Issue #12"}'],
  ['the only one, after own words', { bug: TEXT }, ['Hurry'], 'Hurry\n\nIssue #12'],
  ['the one named so', { area: { ...TEXT, fallback: 'all' }, issue: TEXT }, undefined, '{"issue":"Issue #12"}'],
  ['the one that needs a value', { area: { ...TEXT, fallback: 'all' }, bug: TEXT }, undefined, '{"bug":"Issue #12"}'],
  ['the one that is left', { a: TEXT, b: TEXT }, ['a=x'], '{"a":"x","b":"Issue #12"}'],
])('of declared inputs it becomes %s', async (_name, inputs, texts, expected) => {
  expect(await read(inputs, texts)).toBe(expected);
});

test('without a place for it nothing is guessed', async () => {
  await expect(read({ a: TEXT, b: TEXT })).rejects.toThrow('none of them can take the text');
});
