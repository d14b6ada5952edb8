import type * as Fs from 'node:fs';
import { writeFileSync } from 'node:fs';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { readFileOnce } from '../../../../src/roberto-mcp/index/read-file.ts';
import { newFolder, removeFolder } from '../../../support/in-folder.ts';

const looks = vi.hoisted(() => ({ count: 0 }));

/** Each `fstatSync` call returns a different modification time. */
vi.mock('node:fs', async (original) => {
  const fs = await original<typeof Fs>();
  const fstatSync = (descriptor: number) => {
    looks.count += 1;
    return Object.assign(fs.fstatSync(descriptor), { mtimeMs: looks.count });
  };
  return { ...fs, fstatSync };
});

let folder = '';
beforeEach(async () => {
  folder = await newFolder();
});
afterEach(() => removeFolder(folder));

test('a file that changes under each read is read three times, and marked as one that may have changed', () => {
  writeFileSync(`${folder}/a`, 'text');
  expect(readFileOnce(folder, 'a')).toMatchObject({ kind: 'read', racy: true, bytes: Buffer.from('text') });
  // Each read calls `fstatSync` twice.
  expect(looks.count).toBe(6);
});
