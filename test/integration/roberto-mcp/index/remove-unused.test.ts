import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { removeUnused } from '../../../../src/roberto-mcp/index/remove-unused.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(path.join(os.tmpdir(), 'robosmith-unused-'));
});
afterEach(() => {
  vi.restoreAllMocks();
  rmSync(folder, { recursive: true, force: true });
});

test.each([
  ['of another user, which may not be signalled, stays', 'EPERM', true],
  ['that has ended is removed', 'ESRCH', false],
])('the mark of a server %s', (_which, code, stays) => {
  const database = path.join(folder, 'index.sqlite');
  const mark = path.join(folder, 'server-1');
  for (const file of [database, mark]) writeFileSync(file, '');
  vi.spyOn(process, 'kill').mockImplementation(() => {
    throw Object.assign(new Error(code), { code });
  });
  expect(removeUnused({ folder, database, overlay: path.join(folder, 'worktree-1.bin') }, 'one')).toBe(0);
  expect(existsSync(mark)).toBe(stays);
});
