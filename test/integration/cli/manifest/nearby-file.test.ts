import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { nearbyFile } from '#cli/manifest/manifest-file.ts';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(path.join(os.tmpdir(), 'robosmith-nearby-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

test('a similar file is suggested, and never a folder', async () => {
  mkdirSync(path.join(folder, 'answers2'));
  expect(await nearbyFile(path.join(folder, 'answers1'))).toBe('');
  writeFileSync(path.join(folder, 'answers3'), '');
  expect(await nearbyFile(path.join(folder, 'answers1'))).toBe(' Did you mean "answers3"?');
});
