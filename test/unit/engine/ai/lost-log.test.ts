import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createModelCalls } from '#engine/ai/model-calls.ts';
import { keyPlaces } from '#engine/keys/key-places.ts';
import { fileCalls } from '#io/file-calls.ts';
import type { AiOrder } from '#protocol/ai-service.ts';
import { CALL_PLACE } from '../../../support/call-place.ts';
import { type FaultServer, startFaultServer } from '../../../support/fault-server.ts';
import { memoryKeychain } from '../../../support/memory-keychain.ts';

const root = mkdtempSync(path.join(os.tmpdir(), 'robosmith-lost-log-'));
let server: FaultServer;
beforeAll(async () => {
  mkdirSync(path.join(root, '.flow'));
  server = await startFaultServer();
});
afterAll(async () => {
  await server.close();
  rmSync(root, { recursive: true });
});

const limits = { firstTokenMs: 60_000, idleMs: 60_000, totalMs: 60_000 };
const segments = [{ layer: 1, name: 'message', role: 'user', text: 'Hi.', tokens: 1 }] as const;

const order = (baseUrl: string): AiOrder => ({
  ...{ conversation: 'c', pool: null, place: CALL_PLACE },
  request: {
    ...{ provider: 'openai-compatible', model: 'm', baseUrl, instructions: '', schema: null, limits },
    ...{ messages: [{ role: 'user', content: 'Hi.' }], maxOutputTokens: null, temperature: null },
  },
  prompt: { segments, cut: [], tokens: [1, 0, 0, 0, 0] },
});

test('whoever removes the log while an engine runs stops neither its next calls, when keys were changed, nor its end', async () => {
  const url = server.url('none');
  const environment = {
    ...{ ROBOSMITH_KEY_BOX: 'sk-test-lost-log-0011223344', ROBOSMITH_URL_BOX: url },
    ...{ HOME: root, XDG_CONFIG_HOME: root },
  };
  const warnings: string[] = [];
  const models = createModelCalls({
    ...{ root, calls: fileCalls, now: () => Date.now(), warn: (message: string) => void warnings.push(message) },
    places: keyPlaces(environment, memoryKeychain()),
  });
  const service = models.serviceFor({ pools: {}, budgets: {} });
  const call = () => service.call(order(url), new AbortController().signal, () => undefined);
  const removeLog = (): void => rmSync(path.join(root, '.vision'), { recursive: true });
  expect(await call()).toMatchObject({ ok: true });
  removeLog();
  models.keysChanged();
  expect(await call()).toMatchObject({ ok: true });
  removeLog();
  await models.close();
  expect(warnings.map((warning) => warning.includes('ENOENT'))).toEqual([true, true]);
});
