import { expect, test } from 'vitest';
import type { AttemptOutcome, FinishReason } from '#protocol/ai-call.ts';
import { failureOf } from '../../../../src/actors/keys/read-outcome.ts';

const ended = (finish: FinishReason, text = '') =>
  failureOf({ provider: 'openai' }, { ok: true, finish, text } as AttemptOutcome, 0);

test('a call of a tool in place of an answer is named', () => {
  expect([ended('stop'), ended('tool_calls')]).toMatchObject([
    { class: 'empty', said: 'The answer was empty.' },
    { class: 'empty', said: 'The model called a tool instead of answering, although no tools were offered to it.' },
  ]);
  expect([ended('tool_calls', 'Done.'), ended('length')]).toEqual([null, null]);
});
