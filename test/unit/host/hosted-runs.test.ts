import { expect, test } from 'vitest';
import type { KeptRun } from '#engine/index.ts';
import type { EventListener, RoboSmithEvent } from '#protocol/event.ts';
import type { HaltId, RunId } from '#protocol/id.ts';
import type { Answer, Halt, Response } from '#protocol/response.ts';
import { createHostedRuns } from '#host/hosted-runs.ts';

const RUN = 'r1' as RunId;

/** A run that settles when the test says so. */
function fakeRun(until: number | null = null) {
  const said: string[] = [];
  let settle = Promise.withResolvers<Response>();
  let halts: readonly Halt[] = [];
  let tell: EventListener = () => undefined;
  const run = {
    id: RUN,
    settled: () => settle.promise,
    halts: () => halts,
    answer: (halt: HaltId, { verb }: Answer) => {
      said.push(`${halt} ${verb}`);
      halts = [];
      settle = Promise.withResolvers();
      return { accepted: true };
    },
    interrupt: () => {
      said.push('interrupt');
      settle.resolve({ reason: 'interrupted' } as Response);
    },
    release: () => said.push('release'),
  } as unknown as KeptRun;
  return {
    said,
    begin: (onEvent: EventListener) => {
      tell = onEvent;
      return run;
    },
    event: (seq: number, type: RoboSmithEvent['type']) => tell({ seq, type, run_id: RUN } as RoboSmithEvent),
    halt: async () => {
      halts = [{ halt_id: 'h1' as HaltId, until } as Halt];
      settle.resolve({ reason: 'halted' } as Response);
      await new Promise(setImmediate);
    },
    end: async () => {
      settle.resolve({ reason: null } as Response);
      await new Promise(setImmediate);
    },
    renew: () => (settle = Promise.withResolvers()),
  };
}

const hosting = (fake: ReturnType<typeof fakeRun>) => {
  const runs = createHostedRuns({ publish: () => undefined, onChange: () => undefined });
  return { runs, one: runs.adopt(fake.begin, () => undefined) };
};

test('a run moves, waits, and ends; how it ended is known for a while', async () => {
  const fake = fakeRun();
  const { runs, one } = hosting(fake);
  fake.event(1, 'run.started');
  expect([runs.moving(), runs.waiting()]).toEqual([[RUN], []]);
  await fake.halt();
  expect([runs.moving(), runs.waiting(), runs.due()]).toEqual([[], [RUN], null]);
  expect(await one.settled()).toEqual({ response: { reason: 'halted' }, seq: 1 });
  one.answer('h1' as HaltId, { verb: 'retry' });
  expect(runs.moving()).toEqual([RUN]);
  fake.event(2, 'run.finished');
  await fake.end();
  expect([runs.find(RUN), runs.ended(RUN)]).toEqual([null, { response: { reason: null }, seq: 2 }]);
});

test('what waits for a time goes on by itself when it has come, and not before', async () => {
  const fake = fakeRun(5_000);
  const { runs } = hosting(fake);
  await fake.halt();
  expect(runs.due()).toBe(5_000);
  runs.goOn(4_999);
  expect(fake.said).toEqual([]);
  runs.goOn(5_000);
  expect([fake.said, runs.moving(), runs.due()]).toEqual([['h1 retry'], [RUN], null]);
});

test('one that waits and is ended from outside is waited for anew', async () => {
  const fake = fakeRun();
  const { runs } = hosting(fake);
  await fake.halt();
  fake.renew();
  fake.event(3, 'run.finished');
  expect(runs.moving()).toEqual([RUN]);
  await fake.end();
  expect(runs.find(RUN)).toBe(null);
});

test('at the end what moves is interrupted, and what waits is let go', async () => {
  const [moving, waiting] = [fakeRun(), fakeRun()];
  const { runs } = hosting(moving);
  await runs.end(1_000);
  expect(moving.said).toEqual(['interrupt']);
  const other = hosting(waiting);
  await waiting.halt();
  await other.runs.end(1_000);
  expect([waiting.said, other.runs.waiting()]).toEqual([['release'], []]);
});
