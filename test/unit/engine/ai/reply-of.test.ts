import { expect, test } from 'vitest';
import { replyFrom, replyOf } from '#engine/ai/reply-of.ts';
import { EVERY_KEY } from '#logic/keys/read-pool.ts';
import type { AiOrder } from '#protocol/ai-service.ts';
import type { PoolResult } from '#protocol/key-pool.ts';
import { callRecord } from '../../../support/call-record.ts';

const usage = { input: 1, output: 2, cached: 0, reasoning: 0, source: 'provider' } as const;
const order = { request: { model: 'm' } } as AiOrder;

function answered(...costs: readonly (number | null)[]) {
  const after = { state: 'healthy', until: null } as const;
  const attempts = costs.map((microUsd, index) => ({
    key: `k${String(index)}`,
    startedAt: 0,
    firstTokenMs: 1,
    totalMs: 2,
    usage,
    microUsd,
    failure: null,
    after,
  }));
  const result: PoolResult = {
    kind: 'answered',
    call: 'c',
    attempts,
    key: 'k1',
    text: 't',
    finish: 'stop',
    usage,
    microUsd: costs.at(-1) ?? null,
  };
  return replyOf(result, order, { pool: EVERY_KEY, known: [] });
}

test('an answer costs what all attempts cost; one whose price is unknown makes that unknown', () => {
  expect(answered(7, 0, 5)).toMatchObject({ ok: true, costMicroUsd: 12 });
  expect(answered(null, 5)).toMatchObject({ ok: true, costMicroUsd: null });
});

test('the tokens of an answer are those of all its attempts, in the log as well', () => {
  expect(answered(7, 5)).toMatchObject({ usage: { input: 2, output: 4, source: 'provider' } });
  const all = { ...usage, input: 300 };
  expect(replyFrom(callRecord(1, { tokens_used: all }))).toMatchObject({ reply: { usage: all } });
});

test('a call that failed says what all its attempts have used', () => {
  const attempt = { key: 'k', startedAt: 0, firstTokenMs: 1, totalMs: 2, usage, microUsd: 7, failure: null };
  const attempts = [1, 2].map(() => ({ ...attempt, after: { state: 'healthy', until: null } as const }));
  const failed = { kind: 'failed', call: 'c', class: 'stream_cut', said: 'cut', text: '' } as const;
  const reply = (known: PoolResult['attempts']) =>
    replyOf({ ...failed, attempts: known }, order, { pool: EVERY_KEY, known: [] });
  expect(reply(attempts)).toMatchObject({ ok: false, usage: { input: 2, output: 4 }, costMicroUsd: 14 });
  const nothing = { ...usage, input: 0, output: 0 };
  expect(reply(attempts.map((one) => ({ ...one, usage: nothing, microUsd: 0 })))).toMatchObject({
    ok: false,
    usage: null,
    costMicroUsd: 0,
  });
});

test('an answer from the log is the reply that it was, with what its prompt had', () => {
  expect(replyFrom(callRecord(1))).toMatchObject({
    reply: { ok: true, call: 'c0000001', text: 'One.\nTwo.\nSIGNAL:SUCCESS', finish: 'stop', costMicroUsd: 600 },
    prompt: { tokens: [8, 7, 0, 0, 0], cut: [] },
  });
  expect(replyFrom(callRecord(1, { answer: null }))).toBeNull();
});
