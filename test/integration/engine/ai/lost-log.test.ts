import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { listCalls, readCall } from '#actors/call-log/index.ts';
import { createKnownSecrets } from '#engine/keys/known-secrets.ts';
import { createModelCalls } from '#engine/ai/model-calls.ts';
import { keyPlaces } from '#engine/keys/load-keys.ts';
import { fileCalls } from '#io/files/file-calls.ts';
import type { AiOrder } from '#protocol/ai-service.ts';
import { CALL_PLACE } from '../../../support/call-place.ts';
import { type FaultServer, startFaultServer } from '../../../support/fault-server.ts';
import { memoryKeychain } from '../../../support/memory-keychain.ts';

const root = mkdtempSync(path.join(os.tmpdir(), 'robosmith-lost-log-'));
const logs = path.join(root, '.vision', 'logs');
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
  conversation: 'c',
  pool: null,
  place: CALL_PLACE,
  request: {
    provider: 'openai-compatible',
    model: 'm',
    baseUrl,
    instructions: '',
    schema: null,
    limits,
    messages: [{ role: 'user', content: 'Hi.' }],
    maxOutputTokens: null,
    temperature: null,
  },
  prompt: { segments, cut: [], tokens: [1, 0, 0, 0, 0] },
});

function modelsOf(environment: Readonly<Record<string, string>>) {
  const warnings: string[] = [];
  const models = createModelCalls({
    root,
    calls: fileCalls,
    now: () => Date.now(),
    warn: (message: string) => void warnings.push(message),
    secrets: createKnownSecrets({}),
    places: keyPlaces({ ...environment, HOME: root, XDG_CONFIG_HOME: root }, memoryKeychain()),
  });
  return { models, service: models.serviceFor({ pools: {}, budgets: {} }), warnings };
}

const boxAt = (url: string) => ({ ROBOSMITH_KEY_BOX: 'sk-test-lost-log-0011223344', ROBOSMITH_URL_BOX: url });

test('whoever removes the log while an engine runs stops neither its next calls, when keys were changed, nor its end', async () => {
  const url = server.url('none');
  const { models, service, warnings } = modelsOf(boxAt(url));
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

test('keys that change while a call is under way end nothing of it, and hold no other up', async () => {
  const url = server.byTurn('stall', 'none');
  const { models, service } = modelsOf(boxAt(url));
  const controller = new AbortController();
  const begun = Promise.withResolvers<string>();
  const first = service.call(order(url), controller.signal, begun.resolve);
  await begun.promise;
  models.keysChanged();
  expect(await service.call(order(url), new AbortController().signal, () => undefined)).toMatchObject({ ok: true });
  controller.abort(new Error('enough'));
  await expect(first).rejects.toThrow('enough');
  await models.close();
  const place = { calls: fileCalls, folder: logs };
  const attempts = listCalls(place).calls.flatMap(({ call }) => {
    const reading = readCall(place, call);
    return reading.kind === 'read' ? reading.record.attempts : [];
  });
  expect(attempts.map(({ outcome }) => outcome).sort()).toEqual(['aborted', 'ok']);
  // No files of open calls are left, because all calls have ended.
  expect(readdirSync(logs).filter((name) => !name.endsWith('.json'))).toEqual(['index.jsonl']);
  rmSync(logs, { recursive: true });
});

test('a call that no key could be had for is none of the log', async () => {
  const { models, service } = modelsOf({});
  const elsewhere = order('https://models.example.org/v1');
  await expect(service.call(elsewhere, new AbortController().signal, () => undefined)).rejects.toThrow(
    'there is no key for',
  );
  await models.close();
  expect(existsSync(logs) ? readdirSync(logs) : []).toEqual([]);
});
