import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, test } from 'vitest';
import { openPoolFile } from '#actors/keys/index.ts';
import { fileCalls } from '#io/files/file-calls.ts';
import type { AiFact } from '#protocol/ai-fact.ts';
import { verifies } from '../../../e2e/verifies.ts';
import { rest } from '../../../model/keys/test-clock.ts';
import {
  bad,
  type Behaviour,
  good,
  key,
  poolUnderTest,
  REQUEST,
  START,
} from '../../../unit/actors/keys/pool-under-test.ts';

const NO_MODEL = bad(404, '{"error":{"code":"model_not_found","message":"The model `m` does not exist."}}');
const OF_MODEL = bad(
  429,
  '{"error":{"code":"rate_limit_exceeded","message":"Rate limit reached for m in organization org-1 on tokens per min (TPM)."}}',
  { headers: { 'retry-after': '90' } },
);
const OTHER = { ...REQUEST, model: 'other' };

const first =
  (outcome: ReturnType<typeof bad>): Behaviour =>
  (alias) =>
    alias === 'one' ? outcome : good('fine');

test('a key without a model passes the call on, rests for this model only, and serves others', async () => {
  verifies('workers.pool.per-model');
  const { pool, order, asked } = poolUnderTest([key('one'), key('two')], first(NO_MODEL));
  expect(await pool.execute(order())).toMatchObject({ kind: 'answered', key: 'two' });
  expect(await pool.execute(order())).toMatchObject({ kind: 'answered', key: 'two' });
  expect(asked).toEqual(['one', 'two', 'two']);
  expect(pool.table().map(({ state }) => state)).toEqual(['healthy', 'healthy']);
  const mended = poolUnderTest([key('one')], (_alias, nth) => (nth === 1 ? NO_MODEL : good('fine')));
  expect(await mended.pool.execute(mended.order())).toMatchObject({ kind: 'failed', class: 'model_not_found' });
  expect(await mended.pool.execute(mended.order({ request: OTHER }))).toMatchObject({ kind: 'answered', key: 'one' });
});

test('a model that no key has fails with the words of the provider, and is asked for again after a moment', async () => {
  const { pool, order, asked, advance } = poolUnderTest([key('one'), key('two')], (_alias, nth) =>
    nth <= 2 ? NO_MODEL : good('fine'),
  );
  expect(await pool.execute(order())).toMatchObject({
    kind: 'failed',
    class: 'model_not_found',
    said: 'The model `m` does not exist.',
    attempts: [{ key: 'one' }, { key: 'two' }],
  });
  expect(await pool.execute(order())).toMatchObject({
    kind: 'exhausted',
    retryAt: START + 5_000,
    table: [
      { alias: 'one', state: 'cooling', why: 'model_not_found' },
      { alias: 'two', state: 'cooling', why: 'model_not_found' },
    ],
  });
  const later = pool.execute(order({ deadline: START + 60_000 }));
  await rest();
  await advance(5_000, () => undefined);
  expect(await later).toMatchObject({ kind: 'answered' });
  expect(asked).toHaveLength(3);
});

test('a limit of one model is shared by the keys of its account, and outlives the process', async () => {
  verifies('workers.pool.per-model');
  const folder = mkdtempSync(path.join(tmpdir(), 'key-pool-'));
  const keys = [key('one', { account: 'acme' }), key('sibling', { account: 'acme' }), key('two')];
  const begin = () => {
    const file = openPoolFile({
      calls: fileCalls,
      file: path.join(folder, '.flow', 'key-pool.jsonl'),
      newId: () => 'n1',
      now: () => START,
      report: (message) => expect(message).toBe(''),
    });
    return { ...poolUnderTest(keys, first(OF_MODEL), { file }), file };
  };
  const before = begin();
  expect(await before.pool.execute(before.order())).toMatchObject({ kind: 'answered', key: 'two' });
  before.file.close();
  const after = begin();
  for (let call = 0; call < 3; call += 1)
    expect(await after.pool.execute(after.order())).toMatchObject({ kind: 'answered', key: 'two' });
  expect(after.asked).toEqual(['two', 'two', 'two']);
  await after.pool.execute(after.order({ request: OTHER }));
  expect(after.asked[3]).toBe('one');
  after.file.close();
  rmSync(folder, { recursive: true });
});

test('a new secret is a new key: in every project nothing is known of it any more', async () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'key-pool-'));
  const begin = (print: string) => {
    const file = openPoolFile({
      calls: fileCalls,
      file: path.join(folder, 'key-pool.jsonl'),
      newId: () => 'n1',
      now: () => START,
      report: (message) => expect(message).toBe(''),
    });
    const refused = bad(401, '{"error":{"message":"Incorrect API key provided"}}');
    return { ...poolUnderTest([key('one')], () => refused, { file, fingerprintOf: () => print }), file };
  };
  const states = (print: string) => {
    const { pool, file } = begin(print);
    const [state] = pool.table().map((report) => report.state);
    file.close();
    return state;
  };
  const before = begin('aaaa');
  await before.pool.execute(before.order());
  before.file.close();
  expect([states('aaaa'), states('bbbb'), states('bbbb')]).toEqual(['invalid', 'healthy', 'healthy']);
  const off = begin('bbbb');
  off.pool.setDisabled('one', true);
  off.file.close();
  expect([states('bbbb'), states('cccc'), states('cccc')]).toEqual(['disabled', 'healthy', 'healthy']);
  rmSync(folder, { recursive: true });
});

test('a key that was tested and is good is used again, though its account was spent; its siblings as well', async () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'key-pool-'));
  const begin = () => {
    const file = openPoolFile({
      calls: fileCalls,
      file: path.join(folder, 'key-pool.jsonl'),
      newId: () => 'n1',
      now: () => START,
      report: (message) => expect(message).toBe(''),
    });
    const keys = [key('one', { account: 'acme' }), key('two', { account: 'acme' })];
    return { ...poolUnderTest(keys, (_alias, nth) => (nth === 1 ? bad(402) : good('fine')), { file }), file };
  };
  const before = begin();
  expect(await before.pool.execute(before.order())).toMatchObject({ kind: 'exhausted' });
  expect(before.pool.table().map(({ state }) => state)).toEqual(['exhausted', 'exhausted']);
  expect([
    before.pool.noteTest({ alias: 'one', failure: null }),
    before.pool.noteTest({ alias: 'nobody', failure: null }),
  ]).toEqual([true, false]);
  expect(await before.pool.execute(before.order())).toMatchObject({ kind: 'answered' });
  before.file.close();
  const after = begin();
  expect(after.pool.table().map(({ state }) => state)).toEqual(['healthy', 'healthy']);
  after.file.close();
  rmSync(folder, { recursive: true });
});

test('what its account had against one model is forgiven with it, also in the next process', async () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'key-pool-'));
  const begin = () => {
    const file = openPoolFile({
      calls: fileCalls,
      file: path.join(folder, 'key-pool.jsonl'),
      newId: () => 'n1',
      now: () => START,
      report: (message) => expect(message).toBe(''),
    });
    const behave: Behaviour = (_alias, nth) => (nth === 1 ? OF_MODEL : good('fine'));
    return { ...poolUnderTest([key('one', { account: 'acme' })], behave, { file }), file };
  };
  const before = begin();
  expect(await before.pool.execute(before.order())).toMatchObject({ kind: 'exhausted', retryAt: START + 90_000 });
  before.pool.noteTest({ alias: 'one', failure: null });
  before.file.close();
  const after = begin();
  expect(await after.pool.execute(after.order())).toMatchObject({ attempts: [{ failure: { class: 'rate_limited' } }] });
  after.file.close();
  rmSync(folder, { recursive: true });
});

test('a key that its user has disabled is used by nobody, and is not to be forgiven', async () => {
  const { pool, order, asked } = poolUnderTest([key('one', { disabled: true }), key('two')], () => good('fine'));
  expect(await pool.execute(order())).toMatchObject({ kind: 'answered', key: 'two' });
  expect(pool.noteTest({ alias: 'one', failure: null })).toBe(true);
  expect(pool.table()[0]).toMatchObject({ state: 'disabled' });
  expect(asked).toEqual(['two']);
});

test('a call and what it changes in keys are told, each change once, and nothing secret', async () => {
  verifies('workers.pool.events');
  const facts: AiFact[] = [];
  const keys = [key('one', { account: 'acme' }), key('sibling', { account: 'acme' }), key('two')];
  const under = poolUnderTest(keys, (alias, nth) =>
    nth === 1 ? bad(429, 'sk-secret-one is too fast') : nth === 2 ? OF_MODEL : good(`fine ${alias}`),
  );
  const { pool, order, advance } = under;
  const answer = pool.execute(order({ deadline: START + 600_000, onFact: (fact) => facts.push(fact) }));
  await rest();
  await advance(5_000, () => undefined);
  expect(await answer).toMatchObject({ kind: 'answered', key: 'one' });
  const until = START + 5_000;
  expect(facts.slice(0, 4)).toEqual([
    { type: 'ai.call.started', call: 'call-1', provider: 'openai', model: 'gpt-5.5', pool: '' },
    { type: 'key.changed', key: 'one', model: null, state: 'cooling', until, why: 'rate_limited' },
    { type: 'key.changed', key: 'sibling', model: null, state: 'cooling', until, why: 'rate_limited' },
    { type: 'ai.call.attempted', call: 'call-1', key: 'one', outcome: 'rate_limited', status: 429, duration_ms: 9 },
  ]);
  expect(facts.slice(4, 6)).toMatchObject([
    { type: 'key.changed', key: 'two', model: 'gpt-5.5', state: 'cooling', until: START + 90_000 },
    { type: 'ai.call.attempted', key: 'two', outcome: 'rate_limited' },
  ]);
  expect(facts.slice(6)).toMatchObject([
    { type: 'key.changed', key: 'one', model: null, state: 'healthy' },
    { type: 'key.changed', key: 'sibling', model: null, state: 'healthy' },
    { type: 'ai.call.attempted', key: 'one', outcome: 'ok', status: null },
    { type: 'ai.call.finished', outcome: 'answered', attempts: 3, tokens: 100, cost_micro_usd: 220, queued_ms: 5_000 },
  ]);
  expect(JSON.stringify(facts)).not.toContain('sk-secret');
});

test('who watches can break nothing', async () => {
  const { pool, order, reports } = poolUnderTest([key('one')], () => good('fine'));
  const onFact = (): void => {
    throw new Error('no');
  };
  expect(await pool.execute(order({ onFact }))).toMatchObject({ kind: 'answered' });
  expect(reports[0]).toContain('a listener for the events of a call failed: no');
});

test.each(['x', '1', 'token'])('a key that is a word (%s) takes nothing from what its provider says', async (word) => {
  const said = 'You exceeded your current quota of tokens: see 1.';
  const refused = bad(429, JSON.stringify({ error: { message: said } }), { headers: { 'retry-after': '120' } });
  const { pool, order } = poolUnderTest([key('one')], () => refused, { secrets: { get: () => word } });
  await pool.execute(order());
  expect(pool.table()).toMatchObject([{ state: 'exhausted', why: 'exhausted', until: START + 120_000, said }]);
});
