import { expect, test } from 'vitest';
import { createTimedAnswers } from '#host/server/runs/timed-answers.ts';
import type { BlockId, RunId } from '#protocol/id.ts';
import type { Halt } from '#protocol/response.ts';

const RUN = 'r1' as RunId;
const halt = { block: 'Main__A' as BlockId, frame: '/' as Halt['frame'], until: 0 };

test('a block that names a time in the past goes on at longer and longer intervals, five minutes at most', () => {
  const timed = createTimedAnswers();
  const waits: number[] = [];
  let now = 1_000;
  expect(timed.dueAt(RUN, halt)).toBe(0);
  for (let turn = 0; turn < 12; turn += 1) {
    timed.answered(RUN, halt, now);
    const due = timed.dueAt(RUN, halt);
    waits.push(due - now);
    now = due;
  }
  expect(waits).toEqual([1, 2, 4, 8, 16, 32, 64, 128, 256, 300, 300, 300].map((seconds) => seconds * 1_000));
});

test('a later time, another block and a forgotten run are not put off', () => {
  const timed = createTimedAnswers();
  timed.answered(RUN, halt, 1_000);
  expect(timed.dueAt(RUN, { ...halt, until: 90_000 })).toBe(90_000);
  expect(timed.dueAt(RUN, { ...halt, block: 'Main__B' as BlockId })).toBe(0);
  timed.forget(RUN);
  expect(timed.dueAt(RUN, halt)).toBe(0);
});
