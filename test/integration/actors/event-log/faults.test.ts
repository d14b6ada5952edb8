import { rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { createEventLog, readEvents } from '#actors/event-log/index.ts';
import { fileCalls } from '#io/files/file-calls.ts';
import type { RoboSmithEvent } from '#protocol/event.ts';
import type { FileCalls } from '#protocol/file-calls.ts';
import { verifies } from '../../../e2e/verifies.ts';
import { failingFileCalls, type FailingFileCalls, type Fault } from '../../../support/failing-file-calls.ts';
import { A, B, blobNames, blobText, linesOf, logNames, newFolder, openLog, progress, sized } from './temp-log.ts';

const LIMITS = { rotateBytes: 1_800, keptFiles: 50, inlineBytes: 600 };

/** The event of an earlier process, which died while it wrote the line after this event. */
const BEFORE = sized(1, 500);

function folderWithTornLog(): string {
  const folder = newFolder();
  const { log } = openLog(folder);
  log.write(BEFORE);
  log.close();
  writeFileSync(path.join(folder, 'logs/events.jsonl'), '{"seq":2,"run_id":"a","te', { flag: 'a' });
  return folder;
}

interface Written {
  readonly written: RoboSmithEvent[];
  /** The number of events that were on disk before the failure. */
  safe: number;
}

/**
 * Simulates a process that writes small and large events to several files until the run ends. Some of the events are
 * flushed.
 */
function writeEvents(
  folder: string,
  { calls, made }: FailingFileCalls,
  at: number,
  outcome: 'interrupted' | 'completed',
  record: Written,
) {
  const { log, pass, warnings } = openLog(folder, LIMITS, calls);
  const settle = (act: () => void): void => {
    act();
    if (made() < at) record.safe = record.written.length;
  };
  for (let count = 1; count <= 8; count += 1) {
    const seq = record.written.length + 2;
    const event = sized(seq, [450, 460, 900, 600][count % 4]!);
    record.written.push(event);
    log.write(event, { preserve: count === 2 });
    if (count % 3 === 0) settle(pass);
  }
  settle(log.flush);
  log.runEnded(A, outcome);
  const madeBeforeEnd = made();
  settle(log.close);
  return { warnings, madeBeforeEnd, made: made() };
}

function twoProcesses(folder: string, fault: Fault) {
  const open = new Set<number>();
  const watched: FileCalls = {
    ...fileCalls,
    open: (file, flags) => {
      const descriptor = fileCalls.open(file, flags);
      open.add(descriptor);
      return descriptor;
    },
    close: (descriptor) => {
      open.delete(descriptor);
      fileCalls.close(descriptor);
    },
  };
  const failing = failingFileCalls(watched, fault);
  const record: Written = { written: [], safe: 0 };
  const first = writeEvents(folder, failing, fault.at, 'interrupted', record);
  const second = writeEvents(folder, failing, fault.at, 'completed', record);
  expect([...open]).toEqual([]);
  return { record, first, second, made: failing.made() };
}

const sequences = (events: readonly { seq: number }[]): number[] => events.map(({ seq }) => seq);

/**
 * Expects the events in the order in which they were written, without duplicates and including all that were on disk.
 */
function expectIntact(folder: string, { written, safe }: Written): number[] {
  for (const name of logNames(folder)) expect(() => linesOf(folder, name)).not.toThrow();
  const { events, damaged, unread } = readEvents(fileCalls, folder, { resolve: true });
  expect([damaged, unread]).toEqual([0, []]);
  const found = sequences(events);
  expect(found).toEqual([...new Set(found)].sort((a, b) => a - b));
  expect(found).toEqual(expect.arrayContaining(sequences([BEFORE, ...written.slice(0, safe)])));
  for (const event of events)
    if (!('payload' in event)) expect(event).toEqual([BEFORE, ...written].find(({ seq }) => seq === event.seq));
  return found;
}

/**
 * Repeats the scenario with a fault at each file call in turn. Returns the first call number that the scenario doesn't
 * reach.
 */
function sweep(
  fault: Omit<Fault, 'at'>,
  check: (folder: string, at: number, run: ReturnType<typeof twoProcesses>) => void,
): number {
  for (let at = 1; ; at += 1) {
    const folder = folderWithTornLog();
    const run = twoProcesses(folder, { ...fault, at });
    check(folder, at, run);
    rmSync(path.dirname(folder), { recursive: true });
    if (run.made < at) return at;
  }
}

test('without a fault all events are there, and the blobs that stay', () => {
  const folder = folderWithTornLog();
  const { record, first, second } = twoProcesses(folder, { at: Infinity, code: 'none' });
  expect([record.written.length, record.safe, first.warnings, second.warnings]).toEqual([16, 16, [], []]);
  expect(expectIntact(folder, record)).toHaveLength(17);
  expect(logNames(folder).length).toBeGreaterThan(4);
  expect(blobNames(folder)).toHaveLength(2);
});

test.each([
  { code: 'ENOSPC' },
  { code: 'EACCES' },
  { code: 'EIO' },
  { code: 'EMFILE' },
  { code: 'ENOSPC', partial: true },
])(
  'a disk that fails once, at any call, costs no event, but where the log has no time left to try again: %j',
  (fault) => {
    verifies('engine.events.disk');
    const calls = sweep(fault, (folder, at, { record, first, second }) => {
      const found = expectIntact(folder, record);
      const isBehind = ({ madeBeforeEnd }: typeof first): boolean =>
        at + (fault.partial === true ? 1 : 0) <= madeBeforeEnd;
      const isAhead = ({ made }: typeof first): boolean => at > made;
      if (isBehind(first) || (isAhead(first) && isBehind(second)) || isAhead(second)) expect(found).toHaveLength(17);
      expect(first.warnings.length).toBeLessThanOrEqual(1);
      if (isBehind(first)) expect(second.warnings).toEqual([]);
      for (const name of blobNames(folder)) expect(() => JSON.parse(blobText(folder, name)) as unknown).not.toThrow();
    });
    expect(calls).toBeGreaterThan(80);
  },
);

test.each([{ code: 'EROFS' }, { code: 'ENOSPC', partial: true }])(
  'a disk that fails from any call on leaves what was there, and a later process goes on: %j',
  (fault) => {
    verifies('engine.events.disk');
    sweep({ ...fault, lasting: true }, (folder, _at, { record }) => {
      const { log, warnings } = openLog(folder, LIMITS);
      log.write(progress(100, 'well again'));
      log.close();
      expect(warnings).toEqual([]);
      expect(
        expectIntact(folder, { ...record, written: [...record.written, progress(100, 'well again')] }).at(-1),
      ).toBe(100);
    });
  },
);

test('a full disk is reported once, asked again now and then, and goes on with what waited', () => {
  verifies('engine.events.disk');
  const folder = newFolder();
  let isFull = true;
  let asked = 0;
  const calls: FileCalls = {
    ...fileCalls,
    write: (descriptor, bytes, position) => {
      asked += 1;
      if (isFull) throw Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' });
      return fileCalls.write(descriptor, bytes, position);
    },
  };
  const { log, pass, warnings } = openLog(folder, {}, calls);
  const write = (from: number, to: number): void => {
    for (let seq = from; seq <= to; seq += 1) {
      log.write(sized(seq, 1_023, B));
      pass();
    }
  };
  write(1, 200);
  expect(asked).toBe(4);
  expect(warnings).toEqual([
    `Events can't be written below ${folder}: ENOSPC: no space left on device, write. Runs continue without events. Free space there or make it writable; writing is retried automatically.`,
  ]);
  isFull = false;
  write(201, 300);
  log.close();
  // The first 64 events of 1 KiB waited in memory until there was space again; the later ones were dropped.
  const kept = Array.from({ length: 64 }, (_, index) => index + 1);
  const after = Array.from({ length: 300 - 257 }, (_, index) => index + 258);
  expect(sequences(readEvents(fileCalls, folder).events)).toEqual([...kept, ...after]);
  expect(warnings).toHaveLength(1);
});

test('what a disk refused to the end is given up: nothing comes after', () => {
  const folder = newFolder();
  const { calls, made } = failingFileCalls(fileCalls, { at: 1, code: 'EIO', lasting: true });
  const { log } = openLog(folder, {}, calls);
  log.write(progress(1, ''));
  log.close();
  const madeUpToEnd = made();
  log.flush();
  log.write(progress(2, ''));
  log.close();
  expect([made(), logNames(folder)]).toEqual([madeUpToEnd, []]);
});

test('a warning that can not be given is no trouble', () => {
  const folder = newFolder();
  writeFileSync(path.join(folder, 'logs'), 'no folder');
  const warn = (): never => {
    throw new Error('EPIPE');
  };
  const log = createEventLog({ calls: fileCalls, folder, newId: () => 'id', now: () => 0, warn });
  expect(() => log.write(progress(1, ''))).not.toThrow();
  expect(() => log.close()).not.toThrow();
});
