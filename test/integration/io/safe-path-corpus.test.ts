import { readFileSync } from 'node:fs';
import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createFiles } from '#io/transactions/files.ts';
import { checkRelativePath } from '#io/files/path-rules.ts';
import { safePath } from '#io/files/safe-path.ts';
import { RoboSmithError } from '#protocol/error.ts';
import { verifies } from '../../e2e/verifies.ts';

interface Corpus {
  readonly hostile: readonly { readonly why: string; readonly paths: readonly string[] }[];
  readonly not_written: { readonly why: string; readonly paths: readonly string[] };
  readonly fine: readonly { readonly path: string; readonly parts: readonly string[] }[];
}

// The corpus contains lone surrogates, which can't be imported as a module.
const corpus = JSON.parse(
  readFileSync(new URL('../../samples/safe-path/corpus.json', import.meta.url), 'utf8'),
) as Corpus;

let root = '';
beforeAll(async () => {
  root = await realpath(await mkdtemp(path.join(tmpdir(), 'robosmith-corpus-')));
});
afterAll(() => rm(root, { recursive: true, force: true }));

const whyOf = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    (value) => ({ allowed: value }),
    (thrown: unknown) => (RoboSmithError.is(thrown, 'unsafe_path') ? thrown.data['why'] : thrown),
  );

describe.each(corpus.hostile)('$why', ({ why, paths }) => {
  test.each(paths)('%j', async (input) => {
    verifies('workers.safe-path.hostile', 'workers.safe-path.traversal');
    const files = createFiles(root);
    const verdicts = await Promise.all(
      [
        safePath(root, input),
        files.read(input),
        files.locate(input),
        files.writeAll([{ path: input, content: '' }]),
      ].map(whyOf),
    );
    expect(verdicts).toEqual([why, why, why, why]);
  });
});

test.each(corpus.fine)('$path stays inside', async ({ path: input, parts }) => {
  expect(checkRelativePath(input)).toEqual(parts);
  expect(await safePath(root, input)).toBe(path.join(root, ...parts));
});

test.each(corpus.not_written.paths)('%j may be read, and is not written', async (input) => {
  const files = createFiles(root);
  expect(await files.read(input)).toBeNull();
  expect(await whyOf(files.writeAll([{ path: input, content: '' }]))).toBe(corpus.not_written.why);
});

test('there are as many as were asked for', () => {
  expect(corpus.hostile.flatMap(({ paths }) => paths).length).toBeGreaterThanOrEqual(150);
  expect(corpus.fine.length).toBeGreaterThanOrEqual(40);
});
