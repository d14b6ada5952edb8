import { mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { noticeClaims } from '../../../src/extension/notices/claim-notice.ts';

function folder(): string {
  const made = mkdtempSync(path.join(os.tmpdir(), 'robosmith-claims-'));
  onTestFinished(() => rmSync(made, { recursive: true, force: true }));
  return path.join(made, 'notices');
}

test('of several windows one claims a notice; projects and notices do not claim for each other', async () => {
  const at = folder();
  const windows = Array.from({ length: 5 }, () => noticeClaims(at, '/one', () => 0));
  const claimed = await Promise.all(windows.map((window) => window.claim('halt')));
  expect(claimed.filter(Boolean)).toEqual([true]);
  expect(await noticeClaims(at, '/two', () => 0).claim('halt')).toBe(true);
  expect(await windows[0]?.claim('other')).toBe(true);
  expect(await windows[1]?.claim('other')).toBe(false);
});

test('old claims are removed, and a folder that cannot be written claims nothing away', async () => {
  const at = folder();
  await noticeClaims(at, '/one', Date.now).claim('old');
  const [old = ''] = readdirSync(at);
  utimesSync(path.join(at, old), 0, 0);
  await noticeClaims(at, '/one', Date.now).claim('new');
  expect(readdirSync(at)).toHaveLength(1);
  expect(readdirSync(at)).not.toContain(old);
  const file = path.join(at, 'file');
  writeFileSync(file, '');
  expect(await noticeClaims(path.join(file, 'below'), '/one', Date.now).claim('x')).toBe(true);
});
