import { linkSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { folderSize } from '#io/files/folder-size.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'robosmith-size-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const put = (name: string, bytes: number): void => {
  mkdirSync(path.dirname(path.join(folder, name)), { recursive: true });
  writeFileSync(path.join(folder, name), 'x'.repeat(bytes));
};

test('all files below, one with two names once', async () => {
  put('a', 100);
  put('b/c/d', 20);
  linkSync(path.join(folder, 'a'), path.join(folder, 'b', 'again'));
  expect(await folderSize(folder)).toEqual({ bytes: 120, isWhole: true });
});

test.skipIf(process.platform === 'win32')('a link leads nowhere, also one to itself', async () => {
  put('a', 10);
  symlinkSync(folder, path.join(folder, 'loop'));
  const found = await folderSize(folder);
  expect(found?.isWhole).toBe(true);
  // A symbolic link counts with its own size, which is the length of its target path.
  expect(found?.bytes).toBe(10 + folder.length);
});

test('it ends, and says that there is more', async () => {
  for (let index = 0; index < 20; index += 1) put(`f${index}`, 1);
  expect(await folderSize(folder, 5)).toEqual({ bytes: 5, isWhole: false });
});

test('nothing there', async () => {
  expect(await folderSize(path.join(folder, 'none'))).toBeNull();
});
