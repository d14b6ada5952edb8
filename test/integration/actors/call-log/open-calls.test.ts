import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, expect, test } from 'vitest';
import {
  createOpenCalls,
  listCalls,
  type LogPlace,
  readCall,
  takeOverOpenCalls,
  writeCall,
} from '#actors/call-log/index.ts';
import { fileCalls } from '#io/files/file-calls.ts';
import { redactorOf } from '#io/providers/redact.ts';
import type { CallRecord } from '#protocol/call-record.ts';
import { verifies } from '../../../e2e/verifies.ts';
import { callRecord } from '../../../support/call-record.ts';
import { failingFileCalls } from '../../../support/failing-file-calls.ts';

let base = '';
beforeEach(() => {
  base = mkdtempSync(path.join(os.tmpdir(), 'robosmith-under-way-'));
});
afterEach(() => rmSync(base, { recursive: true }));

const asIs = (text: string): string => text;

let places = 0;
function newPlace(): LogPlace {
  places += 1;
  return { calls: fileCalls, folder: path.join(base, String(places), '.vision', 'logs') };
}

const openFiles = ({ folder }: LogPlace): readonly string[] =>
  readdirSync(folder).filter((name) => name.endsWith('.open'));

/** Returns the record of an unfinished call with this number and attempt. */
const noted = (number: number, attempt: number, text = ''): CallRecord =>
  callRecord(number, { outcome: 'broken_off', answer: null, attempt, conversation: text });

const MOST = 6;
const number = fc.integer({ min: 1, max: MOST });
const step = fc.oneof(
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('note' as const), number }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('end' as const), number }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('log' as const), number }) },
);
type Step = typeof step extends fc.Arbitrary<infer One> ? One : never;

/** Performs the steps, and returns the records that the next owner of the log must find, by call number. */
function play(place: LogPlace, steps: readonly Step[], text: string): ReadonlyMap<number, CallRecord> {
  const openCalls = createOpenCalls(place, asIs);
  const open = new Map<number, CallRecord>();
  const logged = new Map<number, CallRecord>();
  // A call id is used only once: after the call has ended, no further note is written for it.
  const ended = new Set<number>();
  for (const [attempt, { kind, number: which }] of steps.entries()) {
    const { call } = callRecord(which);
    if (kind === 'note' && !logged.has(which) && !ended.has(which)) {
      const record = noted(which, attempt, text);
      openCalls.note(record);
      open.set(which, record);
    } else if (kind === 'end') {
      openCalls.end(call);
      if (open.delete(which)) ended.add(which);
    } else if (kind === 'log' && open.has(which)) {
      writeCall(place, callRecord(which), asIs);
      logged.set(which, callRecord(which));
    }
  }
  return new Map([...open, ...logged]);
}

const found = (place: LogPlace): ReadonlyMap<number, CallRecord> => {
  const records = new Map<number, CallRecord>();
  for (let which = 1; which <= MOST; which += 1) {
    const reading = readCall(place, callRecord(which).call);
    expect(reading.kind).not.toBe('damaged');
    if (reading.kind === 'read') records.set(which, reading.record);
  }
  return records;
};

test('whatever was under way when its process died stands in the log, as it was noted last, and nothing else does', () => {
  verifies('workers.pool.broken-off');
  fc.assert(
    fc.property(fc.array(step, { maxLength: 30 }), fc.constantFrom(0, 300_000), (steps, size) => {
      const place = newPlace();
      mkdirSync(place.folder, { recursive: true });
      const expected = play(place, steps, 'x'.repeat(size));
      for (const unique of ['u1', 'u2']) {
        takeOverOpenCalls(place, unique);
        expect(found(place)).toEqual(expected);
        expect(openFiles(place)).toEqual([]);
      }
      rmSync(place.folder, { recursive: true });
    }),
    { numRuns: 60 },
  );
});

test('a file that was cut off anywhere gives whole calls only', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 12 }), fc.nat(), (steps, at) => {
      const place = newPlace();
      mkdirSync(place.folder, { recursive: true });
      play(place, steps, '');
      for (const name of openFiles(place)) {
        const file = path.join(place.folder, name);
        truncateSync(file, at % (readFileSync(file).length + 1));
      }
      takeOverOpenCalls(place, 'u');
      expect(listCalls(place).damaged).toEqual([]);
      expect(openFiles(place)).toEqual([]);
    }),
    { numRuns: 60 },
  );
});

test('a file system that fails at any call fails no call, and what is noted after it is taken over', () => {
  const attempt = (at: number): number => {
    const place = newPlace();
    const failing = failingFileCalls(fileCalls, { at, code: 'ENOSPC', partial: true });
    const openCalls = createOpenCalls({ ...place, calls: failing.calls }, asIs);
    for (const which of [1, 2]) openCalls.note(noted(which, 1));
    openCalls.end(callRecord(1).call);
    const made = failing.made();
    // If the failing file call wrote only a part, the torn write is detected at the next file call.
    if (at === made) openCalls.end(callRecord(2).call);
    openCalls.note(noted(3, 1));
    mkdirSync(place.folder, { recursive: true });
    takeOverOpenCalls(place, 'u');
    expect([at, [...found(place).keys()].includes(3)]).toEqual([at, true]);
    expect([at, listCalls(place).damaged]).toEqual([at, []]);
    return made;
  };
  const made = attempt(Number.POSITIVE_INFINITY);
  expect(made).toBeGreaterThan(4);
  for (let at = 1; at <= made; at += 1) attempt(at);
});

test('files go: a full one with its last call, the others when the log is closed, or with their last call after that', () => {
  const place = newPlace();
  const openCalls = createOpenCalls(place, asIs);
  const big = 'x'.repeat(600_000);
  for (const which of [1, 2, 3]) openCalls.note(noted(which, 1, big));
  expect(openFiles(place)).toHaveLength(2);
  openCalls.end(callRecord(1).call);
  expect(openFiles(place)).toHaveLength(2);
  openCalls.end(callRecord(2).call);
  expect(openFiles(place)).toHaveLength(1);
  openCalls.close();
  expect(openFiles(place)).toHaveLength(1);
  openCalls.end(callRecord(3).call);
  expect(openFiles(place)).toEqual([]);
  const quiet = createOpenCalls(place, asIs);
  quiet.note(noted(4, 1));
  quiet.end(callRecord(4).call);
  expect(openFiles(place)).toHaveLength(1);
  quiet.close();
  expect(openFiles(place)).toEqual([]);
});

test('a file is closed once: its number may be that of another file by then', () => {
  const place = newPlace();
  const closed: number[] = [];
  const close = (descriptor: number): void => {
    closed.push(descriptor);
    fileCalls.close(descriptor);
  };
  const openCalls = createOpenCalls({ ...place, calls: { ...fileCalls, close } }, asIs);
  openCalls.note(noted(1, 1, 'x'.repeat(1_100_000)));
  openCalls.end(callRecord(1).call);
  openCalls.close();
  expect(openFiles(place)).toEqual([]);
  expect(closed).toHaveLength(1);
});

test('an answer that was written and not yet placed stands in the log; one that is torn does not', () => {
  const place = newPlace();
  mkdirSync(place.folder, { recursive: true });
  const name = (which: number): string =>
    path.join(place.folder, `2026-11-21T08-00-0${which}-000Z-c000000${which}.json.u.tmp`);
  const text = JSON.stringify(callRecord(1));
  writeFileSync(name(1), text);
  writeFileSync(name(2), JSON.stringify(callRecord(2)).slice(0, -1));
  takeOverOpenCalls(place, 'u');
  expect(listCalls(place)).toMatchObject({ calls: [{ call: 'c0000001' }], damaged: [] });
});

test('no key is in it', () => {
  const key = 'sk-under-way-0a1b2c3d4e5f';
  const place = newPlace();
  createOpenCalls(place, redactorOf([key])).note(noted(1, 1, `${key} ${btoa(key)}`));
  const [name = ''] = openFiles(place);
  const text = readFileSync(path.join(place.folder, name), 'utf8');
  expect(text).toContain('[key] [key]');
  expect(text).not.toContain(key);
});

test('a call that a crash broke off says that a key was taken out of its request, and has no login of its address', () => {
  const key = 'sk-under-way-0a1b2c3d4e5f';
  const place = newPlace();
  const { request } = callRecord(1);
  const segments = [{ layer: 1, name: 'message', role: 'user', text: `Use ${key}.`, tokens: 1 }] as const;
  const asked = { ...request, base_url: 'https://me:hunter2@example.com/v1', segments };
  createOpenCalls(place, redactorOf([key])).note({ ...noted(1, 1), request: asked });
  takeOverOpenCalls(place, 'u');
  expect(found(place).get(1)).toMatchObject({ request: { redacted: true, base_url: 'https://example.com/v1' } });
});

test.each([
  ['a name that leaves the folder', JSON.stringify({ ...callRecord(1), call: '../../../outside' })],
  ['a time that no calendar has', JSON.stringify({ ...callRecord(1), started_at: 1e17 })],
  ['no time', JSON.stringify({ call: 'c1' })],
  ['no call', '{"ended":7}'],
  ['no object', '[1]\n"x"\nnull\n\u0000'],
])('a line with %s is passed over, and the others are not', (_name, line) => {
  const place = newPlace();
  mkdirSync(place.folder, { recursive: true });
  writeFileSync(path.join(place.folder, 'x.open'), `${line}\n${JSON.stringify(noted(2, 1))}\n`);
  takeOverOpenCalls(place, 'u');
  expect(readdirSync(place.folder)).toEqual(['2026-11-21T08-00-02-000Z-c0000002.json']);
  expect(readdirSync(path.join(base, String(places)))).toEqual(['.vision']);
});
