import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { createKnownSecrets } from '#engine/keys/known-secrets.ts';
import { createModelCalls } from '#engine/ai/model-calls.ts';
import { fileCalls } from '#io/files/file-calls.ts';
import type { AiOrder } from '#protocol/ai-service.ts';
import type { JsonObject } from '#protocol/json.ts';

const root = mkdtempSync(path.join(os.tmpdir(), 'robosmith-missing-'));
mkdirSync(path.join(root, '.flow'));
afterAll(() => rmSync(root, { recursive: true }));

const order = (request: object, pool: string | null) =>
  ({
    conversation: 'c',
    pool,
    place: { run: 'r', session: null, task: null, node: 'N', block: 'B', visit: 1 },
    request: {
      provider: 'openai',
      model: 'm',
      baseUrl: null,
      instructions: '',
      messages: [],
      schema: null,
      maxOutputTokens: null,
      temperature: null,
      limits: { firstTokenMs: 9_000, idleMs: 9_000, totalMs: 9_000 },
      ...request,
    },
    prompt: { segments: [], cut: [], tokens: [0, 0, 0, 0, 0] },
  }) as unknown as AiOrder;

const ENVIRONMENT = { OPENAI_API_KEY: 'sk-test-missing-00112233445566' };

async function ask(
  request: object,
  pool: string | null = null,
  pools: JsonObject = {},
  environment: object = ENVIRONMENT,
) {
  const warnings: string[] = [];
  const models = createModelCalls({
    root,
    calls: fileCalls,
    now: () => 0,
    warn: (text: string) => void warnings.push(text),
    secrets: createKnownSecrets({}),
    places: {
      calls: fileCalls,
      folder: root,
      environment,
      storage: { get: () => Promise.resolve(null) },
    } as never,
  });
  const service = models.serviceFor({ pools, budgets: {} });
  const call = () =>
    service
      .call(order(request, pool), new AbortController().signal, () => undefined)
      .catch((thrown: unknown) => thrown);
  const [, reply] = [await call(), await call()];
  await models.close();
  return { said: (reply as Error).message, reply, warnings };
}

const OTHER = 'https://proxy.example.com/v1';

test('a key of the provider that is for another address is named, with the command that adds one', async () => {
  expect((await ask({ baseUrl: OTHER })).said).toBe(
    `there is no key for ${OTHER}: type \`robosmith keys add <name> --provider openai --base-url ${OTHER}\`
openai: it is sent to the address of openai only`,
  );
});

test('the keys that a pool lists are named with their variables, and those that it could list', async () => {
  const pools = { p: { keys: ['openai-2', 'work'], tiers: [['opnai']] } };
  const { said, warnings } = await ask({}, 'p', pools);
  expect(said).toBe(`the pool "p" has no key for openai
openai-2: there is no such key: set OPENAI_API_KEY_2
work: there is no such key: type \`robosmith keys add work --provider openai\`
keys outside the pool that could be used: openai`);
  // If a tier contains a name that no key of the pool has, this is reported once.
  expect(warnings).toEqual(['the pool "p": tiers: "opnai" is none of the pool\'s keys']);
});

test('a pool of own servers names the variables of each', async () => {
  const request = { provider: 'openai-compatible', baseUrl: OTHER };
  expect((await ask(request, 'p', { p: { keys: ['my-box'] } })).said).toContain(
    'my-box: there is no such key: set ROBOSMITH_KEY_MY_BOX and ROBOSMITH_URL_MY_BOX',
  );
  expect((await ask({ ...request, baseUrl: OTHER })).said).toBe(
    `there is no key for ${OTHER}: set ROBOSMITH_KEY_<NAME> and ROBOSMITH_URL_<NAME>`,
  );
});

test('no login of an address is in what is told of it, and nothing is sent to one', async () => {
  const address = 'http://me:hunter2@127.0.0.1:9/v1';
  const environment = { ROBOSMITH_KEY_BOX: 'sk-test-login-00112233445566', ROBOSMITH_URL_BOX: address };
  const asked = (baseUrl: string) => ask({ provider: 'openai-compatible', baseUrl }, null, {}, environment);
  expect((await asked(OTHER)).said).toContain('box: it is sent to http://127.0.0.1:9/v1 only');
  expect((await asked('http://me:hunter3@127.0.0.1:9/v1')).said).toMatch(
    /^there is no key for http:\/\/127\.0\.0\.1:9\/v1:/,
  );
  const sent = await asked(address);
  expect(sent.reply).toMatchObject({ ok: false, kind: 'bad_request' });
  expect(sent.said).toContain('must not contain a password');
});
