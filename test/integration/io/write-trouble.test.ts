import { createHash, randomUUID } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import type * as promises from 'node:fs/promises';
import { chmod, mkdir, mkdtemp, readdir, readFile, realpath, rm, stat, writeFile } from 'node:fs/promises';
import { hostname, tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createFiles } from '#io/transactions/files.ts';
import { RoboSmithError } from '#protocol/error.ts';
import type { Files } from '#protocol/services.ts';
import { verifies } from '../../e2e/verifies.ts';

type Rename = (from: string, to: string) => Promise<void>;
/** Replacements and faults that a test injects into the writer's file calls; null for none. */
const calls = vi.hoisted(() => ({
  rename: null as ((real: Rename, from: string, to: string) => Promise<void>) | null,
  link: null as string | null,
  open: null as ((file: string) => Error | null) | null,
  modes: [] as string[],
}));

vi.mock('node:fs/promises', async (original) => {
  const real = await original<typeof promises>();
  const rename: Rename = (from, to) =>
    calls.rename === null ? real.rename(from, to) : calls.rename(real.rename, from, to);
  const link: Rename = (from, to) =>
    calls.link === null
      ? real.link(from, to)
      : Promise.reject(Object.assign(new Error(`${calls.link}: link`), { code: calls.link }));
  const open: typeof promises.open = async (file, flags, mode) => {
    const refused = calls.open?.(String(file)) ?? null;
    if (refused !== null) throw refused;
    const handle = await real.open(file, flags, mode);
    calls.modes.push(((await handle.stat()).mode & 0o777).toString(8));
    return handle;
  };
  return { ...real, default: real, rename, link, open };
});

let root = '';
let files: Files;
beforeEach(async () => {
  root = await realpath(await mkdtemp(path.join(tmpdir(), 'robosmith-writing-')));
  files = createFiles(root);
});
afterEach(async () => {
  calls.rename = null;
  calls.link = null;
  calls.open = null;
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
    message: expect.stringMatching(
      /another program has saved these files in the meantime, so they were not restored: "b"/,
    ) as string,
  });
  expect([await text('a'), await text('b'), await text('c')]).toEqual(['old', 'saved by a person', 'this one, too']);
  expect((await readdir(root)).sort()).toEqual(['a', 'b', 'c']);
});

test.each(['EPERM', 'ENOTSUP', 'EOPNOTSUPP'])(
  'where there are no hard links (%s) all is written, one transaction at a time',
  async (code) => {
    calls.link = code;
    await put('a', 'old');
    const all = Array.from({ length: 10 }, (_, index) =>
      createFiles(root)
        .writeAll([{ path: 'a', content: `new ${index}`, expected: hash('old') }])
        .then(
          () => 'written',
          (thrown: unknown) => (RoboSmithError.is(thrown) ? thrown.code : thrown),
        ),
    );
    const ended = await Promise.all(all);
    expect(ended.filter((one) => one === 'written')).toHaveLength(1);
    expect(ended.filter((one) => one === 'content_changed')).toHaveLength(9);
    expect(await readdir(root)).toEqual(['a']);
  },
);

test('and the lock of a dead process is taken over; an empty one is told, with the file to remove', async () => {
  calls.link = 'EPERM';
  const lock = path.join(root, '.robosmith-writing', 'lock');
  await mkdir(path.dirname(lock));
  await writeFile(lock, JSON.stringify({ id: randomUUID(), pid: 2 ** 31 - 1, started: null, host: hostname() }));
  await files.writeAll([{ path: 'a', content: 'new' }]);
  expect(await readdir(root)).toEqual(['a']);
  await mkdir(path.dirname(lock));
  await put('.robosmith-writing/lock', '');
  await expect(files.writeAll([{ path: 'a', content: 'newer' }])).rejects.toMatchObject({
    code: 'io',
    message: expect.stringContaining(`remove ${lock}`) as string,
  });
  expect(await text('a')).toBe('new');
});

test.each(['EPERM', 'EBUSY', 'EACCES'])('a file that is held on Windows (%s) is waited for, a moment', async (code) => {
  await put('a', 'old');
  let held = 3;
  calls.rename = (real, from, to) => {
    if (to !== at('a') || held === 0) return real(from, to);
    held -= 1;
    return Promise.reject(Object.assign(new Error(code), { code }));
  };
  const platform = vi.spyOn(process, 'platform', 'get').mockReturnValue('win32');
  try {
    await files.writeAll([{ path: 'a', content: 'new' }]);
    held = Infinity;
    await expect(files.writeAll([{ path: 'a', content: 'newer' }])).rejects.toMatchObject({ code });
  } finally {
    platform.mockRestore();
  }
  expect(await text('a')).toBe('new');
  expect(await readdir(root)).toEqual(['a']);
});

test.skipIf(process.platform === 'win32')('what others may not read they may not read beside its file', async () => {
  verifies('workers.loom.preserves');
  await put('secret', 'old');
  await chmod(at('secret'), 0o640);
  calls.modes = [];
  calls.link = 'EPERM';
  await files.writeAll([{ path: 'secret', content: 'new' }]);
  expect(calls.modes.filter((mode) => mode === '600')).toHaveLength(2);
  expect(((await stat(at('secret'))).mode & 0o777).toString(8)).toBe('640');
});

test.each([
  ['EACCES', 'you have no permission (EACCES)'],
  ['EROFS', 'the file system is read-only (EROFS)'],
  ['ENOSPC', 'the disk is full (ENOSPC)'],
])('a folder that refuses a new file (%s) is named, and nothing is left', async (code, why) => {
  await mkdir(at('src'));
  await put('src/a', 'old');
  calls.open = (file) =>
    path.dirname(file) === at('src') ? Object.assign(new Error(`${code}: open`), { code, path: file }) : null;
  await expect(files.writeAll([{ path: 'src/a', content: 'new' }])).rejects.toMatchObject({
    code: 'io',
    message: `the folder src can't be written: ${why}`,
  });
  expect([await readdir(root), await readdir(at('src')), await text('src/a')]).toEqual([['src'], ['a'], 'old']);
});
