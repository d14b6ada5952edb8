import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createServerLog, serverLogFile } from '#io/code-analysis/server-log.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(path.join(os.tmpdir(), 'robosmith-server-log-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const logged = (): string => readFileSync(serverLogFile(folder), 'utf8');

test('each line has its time and worktree, however it is cut into parts', () => {
  const log = createServerLog(serverLogFile(folder), '/work/one', () => 0);
  for (const part of ['fir', 'st\nsec', 'ond\n\nthi']) log.write(part);
  expect(logged()).toBe('1970-01-01T00:00:00.000Z one first\n1970-01-01T00:00:00.000Z one second\n');
  expect(log.lastLine()).toBe('thi');
});

test('output without any line end is logged in pieces and not kept in memory', () => {
  const log = createServerLog(serverLogFile(folder), '/work/one', () => 0);
  for (let part = 0; part < 5; part += 1) log.write('x'.repeat(10_000));
  const lines = logged().trimEnd().split('\n');
  expect(lines.map((line) => line.split(' ')[2]?.length)).toEqual([20_000, 20_000]);
});
