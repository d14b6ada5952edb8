import { createHash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import type * as promises from 'node:fs/promises';
import { mkdtemp, readdir, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createFiles } from '#io/files.ts';
import type { Files } from '#protocol/services.ts';
import { verifies } from '../../e2e/verifies.ts';

/** What a test does when the writer calls; `null` for nothing. */
type Rename = (from: string, to: string) => Promise<void>;
const calls = vi.hoisted(() => ({
  rename: null as ((real: Rename, from: string, to: string) => Promise<void>) | null,
}));

vi.mock('node:fs/promises', async (original) => {
  const real = await original<typeof promises>();
  const rename: Rename = (from, to) =>
    calls.rename === null ? real.rename(from, to) : calls.rename(real.rename, from, to);
  return { ...real, default: real, rename };
});

let root = '';
let files: Files;
beforeEach(async () => {
  root = await realpath(await mkdtemp(path.join(tmpdir(), 'robosmith-writing-')));
  files = createFiles(root);
});
afterEach(async () => {
  calls.rename = null;
  await rm(root, { recursive: true, force: true });
});

const hash = (text: string): string => createHash('sha256').update(text).digest('hex');
const at = (name: string): string => path.join(root, name);
const text = (name: string): Promise<string> => readFile(at(name), 'utf8');
const put = (name: string, content: string): Promise<void> => writeFile(at(name), content);

test('what a person has saved in place meanwhile stays when the rest goes back, and is named', async () => {
  verifies('workers.loom.optimistic-lock');
  for (const name of ['a', 'b', 'c']) await put(name, 'old');
  calls.rename = async (real, from, to) => {
    await real(from, to);
    if (to !== at('b') || calls.rename === null) return;
    calls.rename = null;
    writeFileSync(at('b'), 'saved by a person');
    writeFileSync(at('c'), 'this one, too');
  };
  const wanted = ['a', 'b', 'c'].map((name) => ({ path: name, content: 'new', expected: hash('old') }));
  await expect(files.writeAll(wanted)).rejects.toMatchObject({
    code: 'content_changed',
    message: expect.stringMatching(/somebody else has saved meanwhile stays as it is: "b"/) as string,
  });
  expect([await text('a'), await text('b'), await text('c')]).toEqual(['old', 'saved by a person', 'this one, too']);
  expect((await readdir(root)).sort()).toEqual(['a', 'b', 'c']);
});
