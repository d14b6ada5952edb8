import { expect, test } from 'vitest';
import { createStateFiles, createSummary, type Journal, readState } from '#actors/journal/index.ts';
import { RoboSmithError } from '#protocol/error.ts';
import type { FileCalls } from '#protocol/file-calls.ts';
import type { BlockId, HaltId, NodeId, RunId } from '#protocol/id.ts';
import type { HeaderEntry, JournalEntry, LocalKey } from '#protocol/journal.ts';
import { createMemoryFiles } from '../../engine/durable/memory-files.ts';

const RUN = 'r1' as RunId;
const FOLDER = '/project/.flow';

const HEADER: HeaderEntry = {
  type: 'run',
  version: 1,
  run: RUN,
  trace: 't',
  at: 0,
  started: {
    start: { node: 'Main' as NodeId },
    input: null,
    stepMode: false,
    source: null,
    script: null,
    scripts: {},
  },
  manifest: { blob: 'b', bytes: 1 },
  directory: null,
  forkedFrom: null,
};

const HALT: JournalEntry = {
  type: 'halt',
  key: '/Main__A#1' as LocalKey,
  halt: 'h1' as HaltId,
  block: 'Main__A' as BlockId,
  why: 'gate',
  until: null,
  at: 1,
};

/** Creates a journal whose lines become safe when the test says so. */
function setUp(afterMs?: (ms: number, work: () => void) => void) {
  const files = createMemoryFiles();
  let writes = 0;
  const calls: FileCalls = {
    ...files.calls,
    write: (...args) => {
      writes += 1;
      return files.calls.write(...args);
    },
  };
  const place = { calls, folder: FOLDER };
  calls.makeFolder(`${FOLDER}/runs/${RUN}`);
  let safe: PromiseWithResolvers<undefined> | null = null;
  let trouble: RoboSmithError | null = null;
  const journal: Journal = {
    run: RUN,
    position: () => ({ lines: 2, bytes: 200 }),
    append: () => undefined,
    safe: () => safe?.promise.then(() => undefined) ?? null,
    trouble: () => trouble,
    onTrouble: () => undefined,
    giveUp: () => {
      throw new RangeError('nothing is given up here');
    },
    rest: () => undefined,
    close: () => undefined,
  };
  const summary = createSummary(HEADER);
  const states = createStateFiles({
    place,
    journal,
    summary,
    nextTurn: (work) => work(),
    afterMs,
    warn: () => undefined,
  });
  return {
    states,
    writes: () => writes,
    take: (entry: JournalEntry) => {
      summary.take(entry);
      states.take(entry);
    },
    read: () => readState(place, RUN)?.journal.lines ?? null,
    unsafe: () => (safe = Promise.withResolvers<undefined>()),
    allSafe: async () => {
      safe?.resolve(undefined);
      safe = null;
      await new Promise((resolve) => setImmediate(resolve));
    },
    fail: () => (trouble = new RoboSmithError('state_not_saved', 'the disk is full')),
  };
}

test('a checkpoint is written when all that it knows is safe, and not before', async () => {
  const { states, read, unsafe, allSafe } = setUp();
  unsafe();
  states.take(HALT);
  states.flush();
  expect(read()).toBe(null);
  await allSafe();
  expect(read()).toBe(2);
});

test('of lines that could not be written there is no checkpoint', () => {
  const { states, read, fail } = setUp();
  fail();
  states.take(HALT);
  states.flush();
  expect(read()).toBe(null);
});

test('a burst of turning points is written once, some time after the first, and at once when the run settles', () => {
  const timers: (() => void)[] = [];
  const { take, states, writes, read } = setUp((_ms, work) => timers.push(work));
  const passTime = (): void => timers.splice(0).forEach((work) => work());
  const haltNumber = (number: number): JournalEntry => ({ ...HALT, halt: `h${number}` as HaltId });
  for (let number = 1; number <= 10; number += 1) take(haltNumber(number));
  expect([writes(), timers.length, read()]).toEqual([0, 1, null]);
  passTime();
  expect([writes(), timers.length, read()]).toEqual([1, 0, 2]);
  take(haltNumber(11));
  expect([writes(), timers.length]).toEqual([1, 1]);
  states.flush();
  expect(writes()).toBe(2);
  passTime();
  expect([writes(), timers.length]).toEqual([2, 0]);
});
