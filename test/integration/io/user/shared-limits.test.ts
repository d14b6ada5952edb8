import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { openSharedLimits, SHARED_LIMITS_FILE } from '#io/user/shared-limits.ts';
import type { SharedLimits } from '#protocol/shared-limits.ts';

const NOW = Date.UTC(2026, 10, 23, 12);
const SPENT = { microUsd: 500, tokens: 70, requests: 1, unpriced: 0 };

let folder: string;
let reports: string[];
let opened: SharedLimits[];
beforeEach(() => {
  folder = mkdtempSync(path.join(os.tmpdir(), 'robosmith-shared-'));
  reports = [];
  opened = [];
});
afterEach(() => {
  for (const one of opened) one.close();
  rmSync(folder, { recursive: true });
});

const open = (more: Partial<Parameters<typeof openSharedLimits>[0]> = {}): SharedLimits => {
  const limits = openSharedLimits({ folder, now: () => NOW, report: (message) => void reports.push(message), ...more });
  opened.push(limits);
  return limits;
};
const file = (): string => path.join(folder, SHARED_LIMITS_FILE);

describe('what one process writes', () => {
  test('another one reads, and hears that it is new', () => {
    const [one, other] = [open(), open()];
    const before = other.version();
    one.putRequest('k', { id: 'a.1', at: NOW, tokens: 20 });
    one.putRequest('k', { id: 'a.1', at: NOW, tokens: 35 });
    one.spend('key:d:k', SPENT, NOW);
    one.spend('key:d:k', { ...SPENT, requests: 0 }, NOW);
    one.putStanding('key:k', { epoch: 2, body: '{}' }, NOW);
    expect(other.version()).not.toBe(before);
    expect(other.requests('k', NOW - 60_000)).toEqual([{ id: 'a.1', at: NOW, tokens: 35 }]);
    expect(other.spent('key:d:k')).toEqual({ microUsd: 1_000, tokens: 140, requests: 1, unpriced: 0 });
    expect([...other.standings()]).toEqual([['key:k', { epoch: 2, body: '{}' }]]);
    expect(reports).toEqual([]);
  });

  test('an older standing replaces no newer one', () => {
    const [one, other] = [open(), open()];
    one.putStanding('key:k', { epoch: 2, body: '"new"' }, NOW);
    other.putStanding('key:k', { epoch: 1, body: '"old"' }, NOW);
    expect(one.standings().get('key:k')).toEqual({ epoch: 2, body: '"new"' });
  });

  test('lasts as long as before when the clock is set back, and not until the old time comes again', () => {
    const ahead = NOW + 10 * 365 * 86_400_000;
    const one = open({ now: () => ahead });
    one.putStanding('key:k', { epoch: 2, body: JSON.stringify({ until: ahead + 5_000 }) }, ahead);
    one.putStanding('key:odd', { epoch: 2, body: 'odd' }, ahead);
    const standings = open().standings();
    expect(standings.get('key:k')).toEqual({ epoch: 2, body: JSON.stringify({ until: NOW + 5_000 }) });
    expect(standings.get('key:odd')).toEqual({ epoch: 2, body: 'odd' });
  });

  test('is for nobody else to read', () => {
    open().putRequest('k', { id: 'a.1', at: NOW, tokens: 1 });
    if (process.platform !== 'win32') expect(statSync(file()).mode & 0o777).toBe(0o600);
  });
});

test.skipIf(process.platform === 'win32')('a pipe in the place of the file is told, and not waited for', () => {
  execFileSync('mkfifo', [file()]);
  expect(open().requests('k', 0)).toEqual([]);
  expect(reports).toHaveLength(1);
  expect(reports[0]).toContain("can't be used");
});

describe.each([
  ['no database', 'this is no database, and never was one'.repeat(200)],
  ['a database that was cut off', null],
])('a file that is %s', (_name, text) => {
  test('is thrown away once, and all goes on', () => {
    if (text === null) {
      const before = openSharedLimits({ folder, now: () => NOW, report: () => undefined });
      before.putRequest('k', { id: 'a.1', at: NOW, tokens: 1 });
      before.close();
      writeFileSync(file(), readFileSync(file()).fill(7, 60, 5_000));
    } else writeFileSync(file(), text);
    const limits = open();
    limits.putRequest('k', { id: 'b.1', at: NOW, tokens: 2 });
    expect(limits.requests('k', NOW - 60_000)).toEqual([{ id: 'b.1', at: NOW, tokens: 2 }]);
    expect(open().requests('k', NOW - 60_000)).toEqual([{ id: 'b.1', at: NOW, tokens: 2 }]);
    expect(reports).toEqual([]);
  });
});

test('a Node without SQLite shares nothing, says so once, and nothing throws', () => {
  const limits = open({ loadSqlite: () => null });
  limits.putRequest('k', { id: 'a.1', at: NOW, tokens: 1 });
  expect([limits.version(), limits.requests('k', 0), limits.spent('x'), limits.standings().size]).toEqual([
    null,
    [],
    null,
    0,
  ]);
  expect(limits.exclusively(() => 'done')).toBe('done');
  expect(reports).toEqual([expect.stringContaining('this Node has no SQLite')]);
});

test('a folder that cannot be made shares nothing, and says so once', () => {
  writeFileSync(path.join(folder, 'in-the-way'), '');
  const limits = open({ folder: path.join(folder, 'in-the-way', 'config') });
  limits.spend('x', SPENT, NOW);
  limits.putStanding('x', { epoch: 1, body: '{}' }, NOW);
  expect(reports).toHaveLength(1);
});
