import { expect, test } from 'vitest';
import { parseMergeInstruction } from '../../../src/compiler/3-check/merge-grammar.ts';

const read = (text: string): unknown => {
  const result = parseMergeInstruction(text, 'Here');
  return result.ok ? result.instruction : result.problem;
};

test.each([
  ['ALL', { kind: 'all' }],
  ['NONE', { kind: 'none' }],
  ['TYPE:TEST_RESULT', { kind: 'type', type: 'TEST_RESULT' }],
  ['LAST:CODE_OUTPUT', { kind: 'last', type: 'CODE_OUTPUT', count: 1 }],
  ['LAST:CODE_OUTPUT:12', { kind: 'last', type: 'CODE_OUTPUT', count: 12 }],
  ['BLOCK:B', { kind: 'block', block: 'Here__B' }],
  ['BLOCK:Block:There__B', { kind: 'block', block: 'There__B' }],
  ['MERGE:STATIC_MEMORY:a:b', { kind: 'static_memory', key: 'a:b' }],
  ['EXPORT:git.sha', { kind: 'export', key: 'git.sha' }],
  ['TEXT: two: parts', { kind: 'text', text: ' two: parts' }],
])('%s', (text, instruction) => {
  expect(read(text)).toEqual(instruction);
});

test.each([
  ['', '"" is not an instruction'],
  ['ALL:', 'nothing may follow ALL'],
  ['TYPE', 'a type is missing'],
  ['LAST::2', 'a type is missing'],
  ['LAST:A:-1', 'the count "-1" is not a positive whole number'],
  ['LAST:A:1:2', 'nothing may follow the count'],
  ['BLOCK:', '"" is not a valid block name'],
  ['BLOCK:a b', '"a b" is not a valid block name'],
  ['MERGE:STATIC_MEMORY', 'only STATIC_MEMORY can be merged'],
  ['MERGE:STATIC_MEMORY:', 'a key is missing'],
  ['toString', '"toString" is not an instruction'],
])('%j cannot be read', (text, problem) => {
  expect(read(text)).toBe(problem);
});
