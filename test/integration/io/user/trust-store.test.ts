import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { isTrusted, rememberTrust } from '#io/user/trust-store.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'robosmith-trust-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

test('what is remembered at once, as of sessions that begin together, is all remembered', async () => {
  const environment = { ROBOSMITH_CONFIG_DIR: path.join(folder, 'config') };
  const hashes = Array.from({ length: 40 }, (_, index) => `hash-${index}`);
  await Promise.all(hashes.map((hash) => rememberTrust(hash, '/project', environment)));
  expect(await Promise.all(hashes.map((hash) => isTrusted(hash, environment)))).toEqual(hashes.map(() => true));
  expect(readdirSync(path.join(folder, 'config'))).toEqual(['trust.json']);
});
