import { afterAll, beforeAll, expect, test } from 'vitest';
import { verifies } from '../../../e2e/verifies.ts';
import { type FaultServer, startFaultServer } from '../../../support/fault-server.ts';
import { type Protocol, streamOf } from '../../../support/model-answers.ts';
import { createKeySearch } from '../../../secrets/find-keys.ts';
import { openWholePool, SECRETS } from './whole-pool.ts';

let server: FaultServer;
const pool = openWholePool();
beforeAll(async () => {
  server = await startFaultServer();
});
afterAll(async () => {
  await pool.close();
  await server.close();
});

const KEY = SECRETS.first;
const search = createKeySearch([KEY]);
const inParts = (text: string, size: number): readonly string[] =>
  text.match(new RegExp(`.{1,${String(size)}}`, 'gs')) ?? [];

const PROTOCOLS = [
  ['openai', 'responses'],
  ['anthropic', 'messages'],
  ['google', 'gemini'],
  ['openai-compatible', 'chat'],
] as const satisfies readonly (readonly [string, Protocol])[];

const SPELLED = [
  ['as it is', KEY],
  ['in base64', btoa(KEY)],
  ['in base64 of a header', btoa(`x:${KEY}!`)],
  ['in base64 of another header', btoa(`me:${KEY}!`)],
  ['percent-encoded', encodeURIComponent(KEY)],
] as const;

test.each(
  PROTOCOLS.flatMap((one) =>
    SPELLED.flatMap(([how, text]) => [1, 3, 7].map((size) => [...one, how, size, text] as const)),
  ),
)(
  '%s by %s: a key that the answer gives back %s in parts of %i reaches neither reader nor log',
  async (provider, protocol, _how, size, text) => {
    verifies('workers.pool.secrets');
    const { head, texts, end } = streamOf(protocol, ['Your key: ', ...inParts(text, size), ' is fine, as is sk-tes']);
    const baseUrl = server.byKey({ [KEY]: { status: 200, body: [...head, ...texts, ...end].join('') } });
    const read: string[] = [];
    const reader = { onText: (part: string) => void read.push(part), onRestart: () => undefined };
    const { result, record } = await pool.call({ provider, baseUrl, stream: true, reader });
    expect(result).toMatchObject({ kind: 'answered' });
    // Only the key is replaced. The end of the text, which could be the beginning of another key, stays.
    expect(read.join('')).toMatch(/^Your key: .*\[key\].* is fine, as is sk-tes$/s);
    expect(search.inText(read.join(''), 'what was read')).toEqual([]);
    expect(search.inText(JSON.stringify(record), 'the log')).toEqual([]);
    expect(search.inText(JSON.stringify(result), 'the answer')).toEqual([]);
  },
);

const ENDS = [
  ['and breaks', [...inParts(KEY, 3), ' is fine'], 'data: {"a": \n\n'],
  ['and stops', [...inParts(KEY, 1), ' is fine'], ''],
  ['and breaks within it', inParts(KEY.slice(0, -3), 7), 'data: {"a": \n\n'],
  ['and stops within it', inParts(KEY.slice(0, -3), 7), ''],
] as const;

test.each(PROTOCOLS.flatMap((one) => ENDS.map((end) => [...one, ...end] as const)))(
  '%s by %s: of an answer that gives back a key in parts %s, the log has none of them',
  async (provider, protocol, _how, parts, end) => {
    verifies('workers.pool.secrets');
    const { head, texts } = streamOf(protocol, ['Your key: ', ...parts]);
    const baseUrl = server.byKey({ [KEY]: { status: 200, body: [...head, ...texts, end].join('') } });
    const { record, result } = await pool.call({ provider, baseUrl, stream: true, keyWaitMs: 0 });
    expect(record?.attempts[0]?.outcome).toBe('stream_cut');
    expect(search.inText(JSON.stringify(record), 'the log')).toEqual([]);
    expect(search.inText(JSON.stringify(result), 'the result')).toEqual([]);
  },
);

test('of thoughts that give back a key in parts, the log has none of them', async () => {
  verifies('workers.pool.secrets');
  const { head, texts, end } = streamOf('chat', ['Fine.']);
  const thoughts = inParts(KEY, 3).map(
    (reasoning_content) => `data: ${JSON.stringify({ choices: [{ index: 0, delta: { reasoning_content } }] })}\n\n`,
  );
  const baseUrl = server.byKey({ [KEY]: { status: 200, body: [...head, ...thoughts, ...texts, ...end].join('') } });
  const { record, result } = await pool.call({ provider: 'openai-compatible', baseUrl, stream: true });
  expect(result).toMatchObject({ kind: 'answered', text: 'Fine.' });
  expect(search.inText(JSON.stringify(record), 'the log')).toEqual([]);
});
