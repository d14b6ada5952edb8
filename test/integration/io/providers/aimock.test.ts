import { LLMock } from '@copilotkit/aimock';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { verifies } from '../../../e2e/verifies.ts';
import { lazyAiClient } from '#io/providers/lazy-ai-client.ts';
import type { AiRequest, AttemptOutcome } from '#protocol/ai-call.ts';
import type { ProviderName } from '#protocol/provider.ts';

const KEY = 'sk-aimock-0f1e2d3c4b5a69788796a5b4c3d2e1f0';
const TEXT = 'The answer of the mock, long enough for a few parts.\nSIGNAL:SUCCESS';
const SCHEMA = { type: 'object', properties: { status: { type: 'string' } }, required: ['status'] };

const mock = new LLMock({ port: 0, strict: true, auth: { apiKeys: [KEY] } });
const client = lazyAiClient({ connectMs: 10_000, proxied: false });

beforeAll(async () => {
  mock.onMessage('hello', { content: TEXT, usage: { input_tokens: 40, output_tokens: 17 } });
  mock.onMessage('as json', { content: '{"status":"done"}' });
  mock.onMessage('slow down', {
    error: { message: 'slow down', type: 'rate_limit' },
    status: 429,
    retryAfter: 33,
  });
  await mock.start();
});
afterAll(async () => {
  await client.close();
  await mock.stop();
});

const PATHS: Readonly<Record<ProviderName, string>> = {
  openai: '/v1',
  anthropic: '/v1',
  google: '/v1beta',
  'openai-compatible': '/v1',
};

const texts: string[] = [];

function ask(
  provider: ProviderName,
  content: string,
  more: Partial<AiRequest> = {},
  key = KEY,
): Promise<AttemptOutcome> {
  texts.length = 0;
  const request: AiRequest = {
    provider,
    model: provider === 'anthropic' ? 'claude-sonnet-4-5' : provider === 'google' ? 'gemini-2.5-flash' : 'gpt-5',
    baseUrl: `${mock.url}${PATHS[provider]}`,
    instructions: 'Be good.',
    messages: [{ role: 'user', content }],
    schema: null,
    maxOutputTokens: 500,
    temperature: null,
    limits: { firstTokenMs: 60_000, idleMs: 60_000, totalMs: 60_000 },
    ...more,
  };
  return client.attempt(request, key, new AbortController().signal, (text) => texts.push(text));
}

describe.each(Object.keys(PATHS) as ProviderName[])('%s', (provider) => {
  test.each([true, false])('an answer, streaming %s', async (stream) => {
    verifies('workers.ai.providers', 'workers.ai.streaming');
    const outcome = await ask(provider, 'hello', { stream });
    expect(outcome).toMatchObject({
      ok: true,
      text: TEXT,
      finish: 'stop',
      usage: { input: 40, output: 17, source: 'provider' },
    });
    expect(texts.join('')).toBe(TEXT);
    expect(texts.length > 1).toBe(stream);
  });

  test('turns, instructions and parameters arrive', async () => {
    const messages = [
      { role: 'user', content: 'first' },
      { role: 'assistant', content: 'second' },
      { role: 'user', content: 'hello' },
    ] as const;
    expect(await ask(provider, '', { messages, temperature: 0.25 })).toMatchObject({ ok: true });
    const body = JSON.stringify(mock.getLastRequest()?.body);
    expect(body).toContain('"Be good."');
    expect(body).toMatch(/first.*second.*hello/);
    expect(body).toContain('500');
  });

  test.each([true, false])('an answer held to a schema, streaming %s', async (stream) => {
    verifies('workers.ai.structured-output');
    expect(await ask(provider, 'as json', { schema: SCHEMA, stream })).toMatchObject({
      ok: true,
      text: '{"status":"done"}',
    });
  });

  test.each([true, false])('a key that is not known, streaming %s', async (stream) => {
    const outcome = await ask(provider, 'hello', { stream }, 'sk-another-000000000000');
    expect(outcome).toMatchObject({ ok: false, facts: { phase: 'answer', status: 401, error: 'HttpError' } });
    expect(JSON.stringify(outcome)).not.toContain('sk-another');
  });

  test('a limit, and how long it lasts', async () => {
    expect(await ask(provider, 'slow down')).toMatchObject({
      ok: false,
      facts: { status: 429, headers: { 'retry-after': '33' } },
    });
  });
});

test.each([
  ['openai', /"text":\{"format":\{"type":"json_schema","strict":false,/],
  ['anthropic', /"output_config":\{"format":\{"type":"json_schema"/],
  ['google', /"responseJsonSchema":\{/],
  ['openai-compatible', /"response_format":\{"type":"json_schema"/],
] as const)('the schema goes to %s in its own words', async (provider, words) => {
  verifies('workers.ai.structured-output');
  let sent = '';
  const { createServer } = await import('node:http');
  const server = createServer((request, response) => {
    request.setEncoding('utf8').on('data', (part: string) => (sent += part));
    request.on('end', () => response.writeHead(400).end('{}'));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { readonly port: number };
  await ask(provider, 'as json', { schema: SCHEMA, baseUrl: `http://127.0.0.1:${port}/v1` });
  server.closeAllConnections();
  server.close();
  expect(sent).toMatch(words);
});
