import { expect, test } from 'vitest';
import { cutPatch } from '#io/git/changes/cut-patch.ts';

const file = (name: string, lines: readonly string[]): string =>
  [`diff --git a/${name} b/${name}`, ...lines, ''].join('\n');

test('each file is cut at its own limit, and the note says how many lines are missing', () => {
  const patch = file('a', ['+1', '+2', '+3']) + file('b', ['+diff --git a/x b/x']);
  expect(cutPatch(patch, { fileLines: 2, bytes: 1_000 })).toEqual({
    text: 'diff --git a/a b/a\n+1\n\\ 2 more lines left out\ndiff --git a/b b/b\n+diff --git a/x b/x\n',
    omitted: 2,
  });
});

test('the limit of bytes counts UTF-8 and cuts between lines', () => {
  const patch = file('a', ['+ä', '+b']);
  const bytes = Buffer.byteLength('diff --git a/a b/a\n+ä\n');
  expect(cutPatch(patch, { fileLines: 10, bytes }).text).toBe('diff --git a/a b/a\n+ä\n\\ 1 more line left out\n');
  expect(cutPatch(patch, { fileLines: 10, bytes: bytes - 1 }).text).toBe(
    'diff --git a/a b/a\n\\ 2 more lines left out\n',
  );
});

test('a patch within the limits stays as it is', () => {
  const patch = file('a', ['+1']);
  expect(cutPatch(patch, { fileLines: 2, bytes: 1_000 })).toEqual({ text: patch, omitted: 0 });
  expect(cutPatch('', { fileLines: 2, bytes: 10 })).toEqual({ text: '', omitted: 0 });
});
