import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { countBilled, findAnswer, findSpent, type LogPlace, writeCall } from '#actors/call-log/index.ts';
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
    { tokens: 0, microUsd: null, atLeast: true },
    { tokens: 0, microUsd: 0 },
    { tokens: 120, microUsd: 600 },
  ]);
});

/** Logs a call of the visit whose attempts ended like this; `free`: the provider refused it. */
function logEnded(number: number, outcome: string, attempts: readonly string[], more: Partial<CallRecord> = {}): void {
  const [attempt] = callRecord(number).attempts;
  if (attempt === undefined) throw new Error('the sample has no attempt');
  const tokens = { input: 100, output: 0, cached: 0, reasoning: 0, source: 'estimated' } as const;
  const ended = attempts.map((one) => ({ ...attempt, outcome: one, tokens_used: one === 'free' ? null : tokens }));
  log(number, { outcome, answer: null, attempts: ended, ...more });
}

test('the paid attempts of a visit are counted over all its executions, until a call comes to an end', () => {
  const counted = (execution = EXECUTION): number => countBilled(place, execution, () => false);
  logEnded(1, 'stream_broken', ['stream_cut', 'stream_cut', 'stream_cut']);
  // The engine was killed before the journal had the result of this execution.
  expect(counted()).toBe(3);
  // After a crash, the execution is repeated as the next attempt.
  expect(countBilled(place, { ...EXECUTION, attempt: 2 }, () => true)).toBe(3);
  expect(counted({ ...EXECUTION, attempt: 2 })).toBe(0);
  logEnded(1, 'ok', ['stream_cut']);
  logEnded(2, 'exhausted', ['stream_cut', 'free']);
  logEnded(3, 'broken_off', ['broken_off'], { attempt: 2 });
  logEnded(4, 'aborted', ['aborted'], { attempt: 3 });
  expect(counted()).toBe(3);
  logEnded(5, 'exhausted', ['stream_cut'], { step: 'r/Main__Write#2' });
  logEnded(6, 'exhausted', ['stream_cut'], { origin: 'c0000001' });
  expect(counted()).toBe(3);
  // A refused visit is logged without an attempt, so that a person's retry starts a new count.
  logEnded(7, 'stream_broken', [], { attempt: 4 });
  expect(counted()).toBe(0);
  // Any failure is followed by the same request if the journal did not learn of it; an answer is not.
  logEnded(8, 'malformed', ['malformed', 'malformed'], { attempt: 5 });
  expect([counted(), countBilled(place, EXECUTION, ({ attempt }) => attempt === 5)]).toEqual([0, 2]);
  logEnded(9, 'ok', ['stream_cut', 'ok'], { attempt: 6 });
  expect(countBilled(place, EXECUTION, () => true)).toBe(0);
});
