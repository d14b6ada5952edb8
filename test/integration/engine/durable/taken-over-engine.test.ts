import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openEngine } from '#engine/open/open-engine.ts';
import { verifies } from '../../../e2e/verifies.ts';

let root = '';
beforeEach(() => {
  root = mkdtempSync(path.join(tmpdir(), 'robosmith-taken-over-'));
});
afterEach(() => rmSync(root, { recursive: true }));

const BLOB = '.flow/artifacts/blob_0123456789abcdef0123456789abcdef_run.json';

function put(file: string, content: string): void {
  mkdirSync(path.dirname(path.join(root, file)), { recursive: true });
  writeFileSync(path.join(root, file), content);
}

/** Lets a new engine take over from one whose process has died, or has released the lock. */
function takeOver(released: boolean): void {
  const owner = { version: 1, id: 'before', pid: 2 ** 22 + 1, started: null, host: hostname(), socket: null, since: 0 };
  rmSync(path.join(root, '.flow', 'engine.lock'), { recursive: true, force: true });
  put('.flow/engine.lock/1.json', JSON.stringify({ ...owner, released }));
  const opened = openEngine(root, { warn: (message) => expect.unreachable(message) });
  if (opened.ok) opened.engine.close();
  expect(opened.ok).toBe(true);
}

test('the data of an event whose line a crash kept from being written goes', () => {
  verifies('engine.blobs.events');
  put(BLOB, '{}');
  takeOver(true);
  expect(existsSync(path.join(root, BLOB))).toBe(true);
  takeOver(false);
  expect(existsSync(path.join(root, BLOB))).toBe(false);
});
