import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { findAnswer, findSpent, type LogPlace, writeCall } from '#actors/call-log/index.ts';
import { fileCalls } from '#io/files/file-calls.ts';
import { redactorOf } from '#io/providers/redact.ts';
import type { CallRecord } from '#protocol/call-record.ts';
import { verifies } from '../../../e2e/verifies.ts';
import { callRecord } from '../../../support/call-record.ts';

const KEY = 'sk-find-answer-0a1b2c3d4e5f';

let base = '';
let place: LogPlace;
beforeEach(() => {
  base = mkdtempSync(path.join(os.tmpdir(), 'robosmith-find-'));
  place = { calls: fileCalls, folder: path.join(base, '.vision', 'logs') };
});
afterEach(() => rmSync(base, { recursive: true }));

const { run, block, step } = callRecord(1);
const EXECUTION = { run, block, step, attempt: 1 };
const log = (number: number, more: Partial<CallRecord> = {}): string | null =>
  writeCall(place, callRecord(number, more), redactorOf([KEY]));
const found = (): string | undefined => findAnswer(place, EXECUTION)?.call;

test('the answer of an execution is the newest that it was given', () => {
  verifies('workers.pool.broken-off');
  expect(found()).toBeUndefined();
  for (const number of [1, 2]) log(number);
  expect(found()).toBe('c0000002');
});

test.each([
  ['of another attempt', { attempt: 2 }],
  ['of another step', { step: 'r/Main__Write#2' }],
  ['of another run', { run: 'r000000' }],
  ['that a person has made again', { origin: 'c0000001' }],
  ['that was not answered', { outcome: 'stream_cut', answer: null }],
  ['whose answer had a key in it, so that it is not what was read', { answer: { text: KEY, finish: 'stop' } }],
] as const)('a call %s is none of its answers', (_which, more) => {
  log(1, more);
  expect(found()).toBeUndefined();
});

test('what its calls have used: nothing that was told is nothing, but for an agent, of which nobody knows', () => {
  verifies('workers.pool.paid-attempts');
  const nothing = { outcome: 'aborted', answer: null, tokens_used: null, cost: { micro_usd: null, source: null } };
  const agent = { name: 'claude', session: null, resumed: null, approvals: 'read', exit_code: null } as const;
  log(1);
  log(2, nothing);
  log(3, { ...nothing, agent });
  log(4, { attempt: 2 });
  expect(findSpent(place, EXECUTION)).toEqual([
    { tokens: 0, microUsd: null },
    { tokens: 0, microUsd: 0 },
    { tokens: 120, microUsd: 600 },
  ]);
});
