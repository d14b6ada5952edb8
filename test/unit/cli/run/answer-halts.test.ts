import { setImmediate } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { answerHalts, type AnsweredRun } from '#cli/run/answer-halts.ts';
import type { EventListener, RoboSmithEvent } from '#protocol/event.ts';
import type { BlockId, HaltId } from '#protocol/id.ts';
import type { AnswerOutcome } from '#protocol/run.ts';
import type { Halt, Response } from '#protocol/response.ts';
import { verifies } from '../../../e2e/verifies.ts';

const HALT = { halt_id: 'h1' as HaltId, block: 'Main__A' as BlockId, why: 'flagged', until: null } as Halt;
const NEVER = { refused: () => expect.fail(), notTaken: () => expect.fail() };
const responseOf = (reason: Response['reason']): Response => ({ success: reason === null, reason }) as Response;

test('an answer that is on its way to the host when the run is told to wait is waited for', async () => {
  verifies('cli.resume');
  const asked = Promise.withResolvers<undefined>();
  const taken = Promise.withResolvers<AnswerOutcome>();
  let emit: EventListener = () => undefined;
  const settles = [
    async () => {
      emit({ type: 'block.halted', ...HALT } as unknown as RoboSmithEvent);
      await asked.promise;
      // The host accepts the answer one turn of the event loop after it has reported that the run waits.
      void setImmediate().then(() => taken.resolve({ accepted: true }));
      return responseOf('halted');
    },
    () => Promise.resolve(responseOf(null)),
  ];
  const run: AnsweredRun = {
    subscribe: (listener) => {
      emit = listener;
      return () => undefined;
    },
    settled: () => settles.shift()?.() ?? expect.fail('it has ended'),
    halts: () => [HALT],
    answer: (halt, answer) => {
      expect([halt, answer]).toEqual(['h1', { verb: 'next' }]);
      asked.resolve(undefined);
      return taken.promise;
    },
  };
  const given = [{ to: { halt: HALT.halt_id }, answer: { verb: 'next' } as const }];
  const response = await answerHalts(run, { given, ask: null, ...NEVER, now: () => 0 });
  expect(response.success).toBe(true);
});

test('an answer that was accepted before the run was told to wait is not forgotten', async () => {
  let emit: EventListener = () => undefined;
  const settles = [
    async () => {
      emit({ type: 'block.halted', ...HALT } as unknown as RoboSmithEvent);
      // The answer is given and accepted one turn later, so this Response is outdated.
      for (let turn = 0; turn < 5; turn += 1) await setImmediate();
      return responseOf('halted');
    },
    () => Promise.resolve(responseOf(null)),
  ];
  const answers: string[] = [];
  const run: AnsweredRun = {
    subscribe: (listener) => {
      emit = listener;
      return () => undefined;
    },
    settled: () => settles.shift()?.() ?? expect.fail('it has ended'),
    halts: () => [],
    answer: (halt) => {
      answers.push(halt);
      return { accepted: true };
    },
  };
  const given = [{ to: { halt: HALT.halt_id }, answer: { verb: 'next' } as const }];
  const response = await answerHalts(run, { given, ask: null, ...NEVER, now: () => 0 });
  expect(response.success).toBe(true);
  expect(answers).toEqual(['h1']);
});
