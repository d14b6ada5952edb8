import { expect, test } from 'vitest';
import type { KeptRun } from '#engine/index.ts';
import type { EventListener, RoboSmithEvent } from '#protocol/event.ts';
import type { HaltId, RunId } from '#protocol/id.ts';
import type { Answer, Halt, Response } from '#protocol/response.ts';
import { createHostedRuns } from '#host/server/runs/hosted-runs.ts';

const RUN = 'r1' as RunId;
const OTHER = 'r2' as RunId;

interface Ways {
  /** The time at which the run continues by itself. */
  readonly until?: number;
  /** True if the run ignores requests to end. */
  readonly isDeaf?: true;
  readonly refuses?: true;
  readonly id?: RunId;
}

/** Creates a run that settles when the test says so. */
function fakeRun({ until, isDeaf, refuses, id = RUN }: Ways = {}) {
  const said: string[] = [];
  let settle = Promise.withResolvers<Response>();
  let halts: readonly Halt[] = [];
  let emit: EventListener = () => undefined;
  const run = {
    id,
    settled: () => settle.promise,
    halts: () => halts,
    answer: (halt: HaltId, { verb }: Answer) => {
      said.push(`${halt} ${verb}`);
      if (refuses === true) return { accepted: false, why: 'unknown_halt', allowed: [] };
      halts = [];
      settle = Promise.withResolvers();
      return { accepted: true };
    },
    interrupt: () => {
      said.push('interrupt');
      if (isDeaf !== true) settle.resolve({ reason: 'interrupted' } as Response);
    },
    release: () => said.push('release'),
  } as unknown as KeptRun;
  return {
    said,
    begin: (onEvent: EventListener) => {
      emit = onEvent;
      return run;
    },
    event: (seq: number, type: RoboSmithEvent['type']) => emit({ seq, type, run_id: id } as RoboSmithEvent),
    halt: async () => {
      halts = [{ halt_id: 'h1' as HaltId, until: until ?? null } as Halt];
      settle.resolve({ reason: 'halted' } as Response);
      await new Promise(setImmediate);
    },
    end: async () => {
      settle.resolve({ reason: null } as Response);
      await new Promise(setImmediate);
    },
    fail: async () => {
      settle.reject(new Error('the disk is gone'));
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

test('an answer that comes before it is heard that the run waits loses nothing of what follows', async () => {
  const fake = fakeRun();
  const { runs, one } = hosting(fake);
  const heard = fake.halt();
  expect(one.answer('h1' as HaltId, { verb: 'retry' }).accepted).toBe(true);
  await heard;
  expect([runs.moving(), runs.waiting()]).toEqual([[RUN], []]);
  fake.event(1, 'run.finished');
  await fake.end();
  expect(await one.settled()).toEqual({ response: { reason: null }, seq: 1 });
  expect(runs.ended(RUN)).toEqual({ response: { reason: null }, seq: 1 });
});

test('whoever began a run hears when it is put down, and so does the host', async () => {
  const fake = fakeRun();
  const calls: string[] = [];
  const runs = createHostedRuns({ publish: () => undefined, onChange: () => void calls.push('change') });
  runs.adopt(fake.begin, () => void calls.push('end'));
  runs.letGo(RUN);
  expect(calls).not.toContain('end');
  await fake.halt();
  calls.length = 0;
  runs.letGo(RUN);
  expect(calls).toEqual(['end', 'change']);
});

test('what waits for a time goes on by itself when it has come, and not before', async () => {
  const fake = fakeRun({ until: 5_000 });
  const { runs } = hosting(fake);
  await fake.halt();
  expect(runs.due()).toBe(5_000);
  runs.goOn(4_999);
  expect(fake.said).toEqual([]);
  runs.goOn(5_000);
  expect([fake.said, runs.moving(), runs.due()]).toEqual([['h1 retry'], [RUN], null]);
});

test('one that refuses to go on when its time has come is not asked again', async () => {
  const fake = fakeRun({ until: 5_000, refuses: true });
  const { runs } = hosting(fake);
  await fake.halt();
  runs.goOn(5_000);
  runs.goOn(5_000);
  expect([fake.said, runs.waiting(), runs.due()]).toEqual([['h1 retry'], [RUN], null]);
});

test('one of which nobody knows how it stands is put down: it can be taken up again', async () => {
  const fake = fakeRun();
  const { runs, one } = hosting(fake);
  await fake.fail();
  await expect(one.settled()).rejects.toThrow('the disk is gone');
  expect([fake.said, runs.moving(), runs.find(RUN)]).toEqual([['release'], [], null]);
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

test('one that does not settle when it is interrupted is named, and is nobody’s any more', async () => {
  const fake = fakeRun({ isDeaf: true });
  const { runs } = hosting(fake);
  expect(await runs.end(1)).toEqual([RUN]);
  expect([fake.said, runs.find(RUN)]).toEqual([['interrupt'], null]);
});

test('one that fails to settle at the end holds nobody up', async () => {
  const fake = fakeRun({ isDeaf: true });
  const { runs } = hosting(fake);
  const ended = runs.end(60_000);
  await fake.fail();
  expect(await ended).toEqual([]);
});

test('what waits for a time does not go on while the runs are ended: nobody would stop it', async () => {
  const [moving, waiting] = [fakeRun({ isDeaf: true }), fakeRun({ until: 5_000, id: OTHER })];
  const { runs } = hosting(moving);
  runs.adopt(waiting.begin, () => undefined);
  await waiting.halt();
  const ended = runs.end(60_000);
  runs.goOn(5_000);
  expect([waiting.said, runs.due()]).toEqual([[], null]);
  await moving.end();
  expect(await ended).toEqual([]);
  expect(waiting.said).toEqual(['release']);
});
