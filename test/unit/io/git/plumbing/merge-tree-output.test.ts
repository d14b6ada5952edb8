import { expect, test } from 'vitest';
import { readMerges } from '#io/git/plumbing/merge-tree-output.ts';

const TREE = 'a'.repeat(40);

/** Fields of the output of `git merge-tree --stdin -z --name-only --messages`. */
const CONFLICT = [
  '0',
  TREE,
  'f',
  'g',
  '',
  '1',
  'f',
  'CONFLICT (contents)',
  'in f\n',
  '1',
  'g',
  'Auto-merging',
  'g\n',
  '',
];
const CLEAN = ['1', TREE, '', ''];
const OUTPUT = [...CONFLICT, ...CLEAN, ...CONFLICT].map((part) => `${part}\0`).join('');

test('output that is cut off anywhere gives the merges that are whole, and no half of one', () => {
  const all = readMerges(OUTPUT);
  expect(all.map(({ isClean, files, messages }) => [isClean, files, messages.map(({ type }) => type)])).toEqual([
    [false, ['f', 'g'], ['CONFLICT (contents)', 'Auto-merging']],
    [true, [], []],
    [false, ['f', 'g'], ['CONFLICT (contents)', 'Auto-merging']],
  ]);
  const counts = Array.from({ length: OUTPUT.length }, (_, end) => {
    const merges = readMerges(OUTPUT.slice(0, end));
    expect(merges).toEqual(all.slice(0, merges.length));
    return merges.length;
  });
  expect([...new Set(counts)]).toEqual([0, 1, 2]);
});
