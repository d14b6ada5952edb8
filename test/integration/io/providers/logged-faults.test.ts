import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { connect } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { listCalls, readCall, writeCall } from '#actors/call-log/index.ts';
import { fileCalls } from '#io/files/file-calls.ts';
import { createAiClient } from '#io/providers/ai-client.ts';
import { redactorOf } from '#io/providers/redact.ts';
import { makeRecord, type PooledAttempt } from '#logic/calls/make-record.ts';
import type { AiRequest } from '#protocol/ai-call.ts';
import { chatOf, type PromptSegment } from '#protocol/prompt.ts';
import { ANSWER, type Fault, type FaultServer, startFaultServer } from '../../../support/fault-server.ts';
import { verifies } from '../../../e2e/verifies.ts';
import { CALL_PLACE } from '../../../support/call-place.ts';

const KEYS = ['sk-first-9d8c7b6a5f4e3d2c1b0a99887766', 'sk-second-11223344556677889900aabbcc'] as const;
const SEGMENTS: readonly PromptSegment[] = [
  { layer: 2, name: 'contract', role: 'system', text: 'Be good.', tokens: 7 },
  { layer: 1, name: 'USER_INPUT s.1', role: 'user', text: 'Hi.', tokens: 5 },
];

let server: FaultServer;
let folder = '';
beforeAll(async () => {
  server = await startFaultServer();
  folder = mkdtempSync(path.join(os.tmpdir(), 'robosmith-faults-'));
});
afterAll(async () => {
  await server.close();
  rmSync(folder, { recursive: true });
});

const requestTo = (provider: AiRequest['provider'], baseUrl: string): AiRequest => ({
  provider,
  baseUrl,
  model: 'm',
  schema: null,
  maxOutputTokens: 9,
  temperature: null,
  ...chatOf(SEGMENTS),
  limits: { firstTokenMs: 60_000, idleMs: 60_000, totalMs: 60_000 },
});

test('a call that met every fault with one key and an answer with the next is in the log, and no key is', async () => {
  verifies('workers.pool.secrets', 'workers.pool.call-log');
  const client = createAiClient({ connectMs: 10_000, proxied: false });
  const faults: readonly Fault[] = [
    'status-401',
    'status-429',
    'cut',
    'error-event',
    'truncation',
    'html-502',
    'broken-json',
  ];
  const place = { calls: fileCalls, folder };
  for (const provider of ['openai', 'anthropic', 'google', 'openai-compatible'] as const) {
    const attempts: PooledAttempt[] = [];
    for (const [index, fault] of [...faults, 'none' as const].entries()) {
      const key = fault === 'none' ? KEYS[1] : KEYS[0];
      const request = requestTo(provider, server.url(fault));
      const outcome = await client.attempt(request, key, new AbortController().signal, () => undefined);
      attempts.push({
        key: `key-${index}`,
        startedAt: index,
        queuedMs: 2,
        kind: outcome.ok ? 'ok' : outcome.facts.error,
        outcome,
        costMicroUsd: 10,
      });
    }
    const request = requestTo(provider, server.url('none'));
    const prompt = { segments: SEGMENTS, cut: [], tokens: [5, 7, 0, 0, 0] } as const;
    const order = { conversation: 'r1/Main__Say', pool: null, place: CALL_PLACE, request, prompt };
    const call = {
      call: `c${provider.length}`,
      origin: null,
      order,
      startedAt: 1_000,
      endedAt: 1_500,
      attempts,
      kind: 'ok',
      priceSource: 'user',
    };
    expect(writeCall(place, makeRecord(call), redactorOf(KEYS))).toBeNull();
    const read = readCall(place, `c${provider.length}`);
    expect(read).toMatchObject({
      kind: 'read',
      record: {
        outcome: 'ok',
        answer: { text: ANSWER.join(''), finish: 'stop' },
        // The sums for `cut`, the error event, `truncation` and the answer. The other attempts used nothing.
        cost: { micro_usd: 40, source: 'user' },
        tokens_used: { output: 12, source: 'estimated' },
        attempts: attempts.map(({ key }) => ({ key })),
        ms: { queued: 2, total: 500 },
      },
    });
    if (read.kind === 'read') expect(chatOf(read.record.request.segments)).toEqual(chatOf(SEGMENTS));
  }
  await client.close();
  const all =
    readdirSync(folder)
      .map((file) => readFileSync(path.join(folder, file), 'utf8'))
      .join('\n') + JSON.stringify(listCalls(place));
  for (const key of KEYS)
    for (let at = 3; at + 8 <= key.length; at += 1) expect(all).not.toContain(key.slice(at, at + 8));
});

test('an unknown price of a part makes the whole unknown; what used nothing costs nothing', () => {
  verifies('workers.ai.prices');
  const times = { firstTokenMs: null, totalMs: 1 };
  const usage = { input: 1, output: 1, cached: 0, reasoning: 0, source: 'provider' } as const;
  const used = (costMicroUsd: number | null): PooledAttempt => ({
    key: 'k',
    startedAt: 0,
    queuedMs: 0,
    kind: 'ok',
    costMicroUsd,
    outcome: { ok: true, text: '', finish: 'stop', usage, times },
  });
  const facts = { phase: 'connect', status: null, headers: {}, body: '', error: 'E', begun: false } as const;
  const unused: PooledAttempt = { ...used(null), outcome: { ok: false, facts, usage: null, times } };
  const costs = (attempts: readonly PooledAttempt[]) => {
    const order = {
      conversation: '',
      pool: null,
      place: CALL_PLACE,
      request: requestTo('openai', 'http://x'),
      prompt: { segments: [], cut: [], tokens: [0, 0, 0, 0, 0] },
    } as const;
    return makeRecord({
      call: 'c',
      origin: null,
      order,
      startedAt: 0,
      endedAt: 0,
      attempts,
      kind: 'ok',
      priceSource: 'user',
    }).cost;
  };
  expect(costs([unused, used(5), used(6)])).toEqual({ micro_usd: 11, source: 'user' });
  expect(costs([used(5), used(null)])).toEqual({ micro_usd: null, source: null });
  expect(costs([unused])).toEqual({ micro_usd: null, source: null });
});

test('a proxy of the environment is used when that is asked for', async () => {
  const asked: string[] = [];
  const proxy = createServer((request, response) => {
    asked.push(request.url ?? '');
    response.writeHead(500).end();
  });
  proxy.on('connect', (request, socket) => {
    asked.push(request.url ?? '');
    const [host = '', port = ''] = (request.url ?? '').split(':');
    const target = connect(Number(port), host, () => {
      socket.write('HTTP/1.1 200 Connection established\r\n\r\n');
      target.pipe(socket).pipe(target);
    });
    target.on('error', () => socket.destroy());
    socket.on('error', () => target.destroy());
  });
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  const { port } = proxy.address() as { readonly port: number };
  for (const name of ['http_proxy', 'HTTP_PROXY']) vi.stubEnv(name, `http://127.0.0.1:${port}`);
  for (const name of ['no_proxy', 'NO_PROXY']) vi.stubEnv(name, '');
  const client = createAiClient({ connectMs: 10_000, proxied: true });
  const request = requestTo('openai-compatible', server.url('none'));
  const outcome = await client.attempt(request, KEYS[0], new AbortController().signal, () => undefined);
  vi.unstubAllEnvs();
  await client.close();
  proxy.closeAllConnections();
  proxy.close();
  expect(asked).toEqual([new URL(server.origin).host]);
  expect(outcome).toMatchObject({ ok: true, text: ANSWER.join('') });
});
