import type * as promises from 'node:fs/promises';
import { mkdir, mkdtemp, readdir, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createFiles } from '#io/transactions/files.ts';
import { verifies } from '../../e2e/verifies.ts';

/**
 * The data that a power loss could erase: files whose content is not synced, and folders whose entries are not synced.
 */
const disk = vi.hoisted(() => ({
  contents: new Set<string>(),
  folders: new Set<string>(),
  /** A check that runs before a file is renamed (`to`) or removed (null). */
  before: null as ((from: string, to: string | null) => void) | null,
}));

vi.mock('node:fs/promises', async (original) => {
  const real = await original<typeof promises>();
  const { dirname } = await import('node:path');
  const named = (file: string): void => void disk.folders.add(dirname(file));
  const open = async (file: string, flags: string | number): Promise<promises.FileHandle> => {
    const handle = await real.open(file, flags);
    const { writeFile: write, sync, datasync } = handle;
    const safe = (): void => {
      disk.contents.delete(file);
      disk.folders.delete(file);
    };
    return Object.assign(handle, {
      writeFile: async (content: string | Uint8Array) => {
        named(file);
        disk.contents.add(file);
        await write.call(handle, content);
      },
      sync: () => sync.call(handle).then(safe),
      datasync: () => datasync.call(handle).then(safe),
    });
  };
  const changed = {
    open,
    rename: async (from: string, to: string) => {
      disk.before?.(from, to);
      await real.rename(from, to);
      if (disk.contents.delete(from)) disk.contents.add(to);
      named(from);
      named(to);
    },
    link: async (from: string, to: string) => {
      await real.link(from, to);
      named(to);
    },
    rm: async (file: string, options: object) => {
      disk.before?.(file, null);
      await real.rm(file, options);
    },
  };
  return { ...real, ...changed };
});

let root = '';
beforeEach(async () => {
  root = await realpath(await mkdtemp(path.join(tmpdir(), 'robosmith-writing-')));
});
afterEach(async () => {
  disk.before = null;
  await rm(root, { recursive: true, force: true });
});

const at = (...names: readonly string[]): string => path.join(root, ...names);
const writing = (name = ''): string => path.join(root, '.robosmith-writing', name);

test.skipIf(process.platform === 'win32')(
  'what is told as written no power cut takes, nor the way back before',
  async () => {
    verifies('workers.loom.optimistic-lock');
    await mkdir(at('src'));
    await writeFile(at('src/a'), 'old');
    const passed: string[] = [];
    const isSafe = (...places: readonly string[]): void => {
      for (const place of places)
        expect({ place, contents: disk.contents.has(place), names: disk.folders.has(place) }).toEqual({
          place,
          contents: false,
          names: false,
        });
    };
    disk.before = (from, to) => {
      if (to === at('src/a') || to === at('new/deep/b')) {
        passed.push(path.relative(root, to));
        isSafe(from, writing('moving.json'), writing(), root, path.dirname(to), at('new'));
      } else if (to === writing('done.json')) {
        passed.push('done');
        isSafe(at('src/a'), at('src'), at('new/deep/b'), at('new/deep'));
      } else if (to === null && from.endsWith('.tmp') && passed.includes('done')) {
        passed.push('told');
        isSafe(writing());
        disk.before = null;
      }
    };
    const wanted = ['src/a', 'new/deep/b'].map((name) => ({ path: name, content: 'new' }));
    disk.folders.add(root).add(at('new'));
    await createFiles(root).writeAll(wanted);
    expect(passed).toEqual(['src/a', 'new/deep/b', 'done', 'told']);
  },
);

test.each(['moving', 'done'])('a record of what was %s that cannot be read is told, and stays', async (phase) => {
  await mkdir(writing());
  await writeFile(at('a'), 'new');
  await writeFile(writing(`${phase}.json`), '');
  const files = createFiles(root);
  for (const work of [() => files.settle(), () => files.writeAll([{ path: 'b', content: 'b' }])])
    await expect(work()).rejects.toMatchObject({
      code: 'io',
      message: expect.stringContaining('then remove the undo log') as string,
      data: { path: writing(`${phase}.json`) },
    });
  expect(await readdir(writing())).toEqual([`${phase}.json`]);
  expect([await readFile(at('a'), 'utf8'), (await readdir(root)).includes('b')]).toEqual(['new', false]);
});

test('a plan that cannot be read puts nothing in danger', async () => {
  await mkdir(writing());
  await writeFile(writing('plan.json'), '');
  await createFiles(root).settle();
  expect(await readdir(root)).toEqual([]);
});
