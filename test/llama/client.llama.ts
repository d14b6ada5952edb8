import { Ajv } from 'ajv';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createAiClient } from '../../src/io/providers/ai-client.ts';
import type { AiRequest, AttemptOutcome } from '../../src/protocol/ai-call.ts';
import { verifies } from '../e2e/verifies.ts';
import { type ModelServer, startModel } from './start-model.ts';

const KEY = 'sk-llama-client-a1b2c3d4e5f60718';
const LIMITS = { firstTokenMs: 60_000, idleMs: 60_000, totalMs: 120_000 };
const SCHEMA = {
  type: 'object',
  properties: {
    status: { type: 'string', enum: ['done', 'blocked'] },
    files: { type: 'array', items: { type: 'string', maxLength: 12 }, maxItems: 3 },
    note: { type: 'string', minLength: 3, maxLength: 20 },
  },
  required: ['status', 'files', 'note'],
  additionalProperties: false,
} as const;

const client = createAiClient({ connectMs: 10_000, proxied: false });
let model: ModelServer;
beforeAll(async () => {
  model = await startModel([KEY], 7);
});
afterAll(async () => {
  await client.close();
  await model.close();
});

interface Heard {
  readonly outcome: AttemptOutcome;
  readonly parts: readonly string[];
}

async function ask(more: Partial<AiRequest> = {}, key = KEY): Promise<Heard> {
  const request: AiRequest = {
    provider: 'openai-compatible',
    model: 'tiny',
    baseUrl: model.baseUrl,
    instructions: 'Be brief.',
    messages: [{ role: 'user', content: 'Say something.' }],
    schema: null,
    maxOutputTokens: 400,
    temperature: 1,
    limits: LIMITS,
    ...more,
  };
  const parts: string[] = [];
  const outcome = await client.attempt(request, key, new AbortController().signal, (part) => parts.push(part));
  return { outcome, parts };
}

test('words stream as the model finds them, and the usage is what it counted', async () => {
  verifies('workers.ai.streaming');
  const { outcome, parts } = await ask();
  const counted = (await model.report()).answered.at(-1);
  expect(outcome).toMatchObject({
    ok: true,
    finish: 'stop',
    text: parts.join(''),
    usage: { input: counted?.prompt, output: counted?.completion, source: 'provider' },
  });
  expect(parts.join('')).toMatch(/^[a-z]{2,7}( [a-z]{2,7}){7,11}$/);
  expect(parts.length).toBeGreaterThan(10);
  // Without streaming, the same model gives the same answer.
  const whole = await ask({ stream: false });
  expect(whole.outcome).toMatchObject({ ok: true, text: parts.join(''), usage: { output: counted?.completion } });
});

test('a model that is held to a schema gives JSON that fits it, whatever it is asked', async () => {
  verifies('workers.ai.structured-output');
  const fits = new Ajv().compile(SCHEMA);
  const said = new Set<string>();
  for (const content of ['Plan it.', 'Do it.', 'Test it.', 'Ship it.']) {
    const { outcome, parts } = await ask({ messages: [{ role: 'user', content }], schema: SCHEMA });
    if (!outcome.ok) throw new Error(outcome.facts.body);
    expect(fits(JSON.parse(outcome.text)), outcome.text).toBe(true);
    expect([outcome.finish, parts.join('')]).toEqual(['stop', outcome.text]);
    said.add(outcome.text);
  }
  // A real model answers each question differently; a mock would not.
  expect(said.size).toBe(4);
});

test('an answer that reaches its limit says so; a prompt over the context is refused as that', async () => {
  const { outcome } = await ask({ maxOutputTokens: 7 });
  expect(outcome).toMatchObject({ ok: true, finish: 'length', usage: { output: 7 } });
  const { outcome: long } = await ask({ messages: [{ role: 'user', content: 'long '.repeat(2_000) }] });
  expect(long).toMatchObject({
    ok: false,
    facts: { status: 400, body: expect.stringContaining('context_length') as string },
  });
});

test('a caller that goes ends the inference: its slot is free again', async () => {
  const { stopped } = await model.stopAfter(0);
  const controller = new AbortController();
  const asked = client.attempt(
    {
      provider: 'openai-compatible',
      model: 'tiny',
      baseUrl: model.baseUrl,
      instructions: '',
      schema: null,
      messages: [{ role: 'user', content: 'Go on.' }],
      maxOutputTokens: 400,
      temperature: 1,
      limits: LIMITS,
    },
    ...([KEY, controller.signal, () => undefined] as const),
  );
  await stopped();
  controller.abort(new Error('enough'));
  await expect(asked).rejects.toThrow('enough');
  await model.untilBroken(1);
  const all = await Promise.all(Array.from({ length: 4 }, () => ask()));
  expect(all.map(({ outcome }) => outcome.ok)).toEqual([true, true, true, true]);
  expect((await model.report()).broken).toBe(1);
});
