import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { verifies } from '../../../e2e/verifies.ts';
import { type FaultServer, startFaultServer } from '../../../support/fault-server.ts';
import { memoryKeychain } from '../../../support/memory-keychain.ts';
import { ApiPoolManager, keyPlaces, openEngine } from '../../../../src/index.ts';

const KEYS = { A: 'sk-test-facade-first-66778899aabb', B: 'sk-test-facade-second-ccddeeff0011' };

let root: string;
let server: FaultServer;
beforeEach(async () => {
  root = mkdtempSync(path.join(tmpdir(), 'robosmith-facade-'));
  server = await startFaultServer();
});
afterEach(async () => {
  rmSync(root, { recursive: true, force: true });
  await server.close();
});

test('ApiPoolManager.execute fails over to the second key, and gives its answer', async () => {
  verifies('engine.library.api-pool-manager');
  const tooMany = { status: 429, body: '{"error":{"message":"Too Many Requests"}}' };
  const url = server.byKey({ [KEYS.A]: tooMany, [KEYS.B]: 'none' });
  const environment = {
    ROBOSMITH_CONFIG_DIR: path.join(root, 'config'),
    ROBOSMITH_KEY_A: KEYS.A,
    ROBOSMITH_URL_A: url,
    ROBOSMITH_KEY_B: KEYS.B,
    ROBOSMITH_URL_B: url,
  };
  const opened = openEngine(root, { warn: () => undefined, keys: keyPlaces(environment, memoryKeychain()) });
  if (!opened.ok) throw new Error('the engine is owned');
  const pool = new ApiPoolManager(opened.engine);
  const reply = await pool.execute({ provider: 'openai-compatible', model: 'tiny', baseUrl: url, message: 'Hi.' });
  await opened.engine.close();
  expect(reply).toMatchObject({ ok: true, key: 'b', text: expect.stringContaining('Hello from the model.') as string });
  expect(server.seen.map(({ key }) => key)).toEqual([KEYS.A, KEYS.B]);
});
