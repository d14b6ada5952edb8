import { afterAll, beforeAll, expect, test } from 'vitest';
import { type FaultServer, startFaultServer } from '../../../support/fault-server.ts';
import { type Protocol, streamOf } from '../../../support/model-answers.ts';
import { createAiClient } from '#io/providers/ai-client.ts';
import { looksRandom } from '#io/providers/key-redactors.ts';

const PROTOCOL: Protocol = 'chat';
let server: FaultServer;
const client = createAiClient({ connectMs: 10_000, proxied: false });
beforeAll(async () => {
  server = await startFaultServer();
});
afterAll(async () => {
  await client.close();
  await server.close();
});

async function answerWith(key: string, parts: readonly string[], isWhole = true) {
  const { head, texts, end } = streamOf(PROTOCOL, parts);
  const baseUrl = server.byKey({ [key]: { status: 200, body: [...head, ...texts, ...(isWhole ? end : [])].join('') } });
  const shown: string[] = [];
  const outcome = await client.attempt(
    {
      provider: 'openai-compatible',
      model: 'm',
      baseUrl,
      instructions: '',
      schema: null,
      messages: [{ role: 'user', content: 'hi' }],
      maxOutputTokens: null,
      temperature: null,
      limits: { firstTokenMs: 60_000, idleMs: 60_000, totalMs: 60_000 },
    },
    key,
    new AbortController().signal,
    (text) => shown.push(text),
  );
  return { shown: shown.join(''), outcome };
}

test('a key that is a mere word does not alter the answer; what is shown and logged has none of it', async () => {
  const { shown, outcome } = await answerWith('placeholder', ['<input place', 'holder="x">']);
  expect(outcome).toMatchObject({
    ok: true,
    text: '<input placeholder="x">',
    raw: '[omitted: the answer contained the API key]',
  });
  expect(shown).toBe('<input [key]="x">');
});

test('a key that is a mere word does not alter an answer that breaks off, one that looks like a key is taken out of it', async () => {
  const word = await answerWith('placeholder', ['<input placeholder="x" place', 'holde'], false);
  expect(word.outcome).toMatchObject({ ok: true, finish: 'interrupted', text: '<input placeholder="x" placeholde' });
  const secret = 'sk-test-word-key-0011223344556677';
  const key = await answerWith(secret, [secret, ' and ', secret.slice(0, -2)], false);
  expect(key.outcome).toMatchObject({ ok: true, finish: 'interrupted', text: '[key] and [key]' });
});

test.each([
  ['with a prefix', 'sk-test-word-key-0011223344556677'],
  ['of letters and digits', 'fe98dc76ba54fe98dc76'],
])('a key that looks like one (%s) is in no answer', async (_how, key) => {
  const { outcome } = await answerWith(key, ['Your key: ', key]);
  expect(outcome).toMatchObject({ ok: true, text: 'Your key: [key]' });
});

test('keys of vendors and long mixed ones are secrets, words are none', () => {
  const keys = ['sk-short', 'AIzaSy', 'gsk_abc', '0123456789abcdef', 'abcdefghABCDEFGH', 'a'.repeat(32)];
  const words = ['placeholder', 'not-needed', 'lm-studio', 'ollama', 'your-api-key-here', 'dummy123'];
  expect([...keys, ...words].filter(looksRandom)).toEqual(keys);
});
