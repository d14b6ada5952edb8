import { appendFileSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { lastSequence, readEvents } from '#actors/event-log/index.ts';
import { fileCalls } from '#io/files/file-calls.ts';
import type { FileCalls } from '#protocol/file-calls.ts';
import type { RunId } from '#protocol/id.ts';
import { verifies } from '../../../e2e/verifies.ts';
import { failingFileCalls } from '../../../support/failing-file-calls.ts';
import { A, B, blobNames, logNames, newFolder, openLog, progress, sized } from './temp-log.ts';

test('a project without a log has no events', () => {
  const folder = newFolder();
  expect(readEvents(fileCalls, folder)).toEqual({ events: [], damaged: 0, unread: [] });
  expect(lastSequence(fileCalls, folder, A)).toBe(0);
});

/** Returns a folder with several log files, in which events of the runs a and b alternate. */
const folderWithTwoRuns = (): string => {
  const folder = newFolder();
  const { log } = openLog(folder, { rotateBytes: 1_500 });
  for (let seq = 1; seq <= 6; seq += 1) for (const run of [A, B]) log.write(progress(seq, `${run}${seq}`, run));
  log.close();
  expect(logNames(folder).length).toBeGreaterThan(2);
  return folder;
};

describe('events are read', () => {
  test('of one run, or after one of them', () => {
    const folder = folderWithTwoRuns();
    const seqs = (filter: { run?: RunId; afterSeq?: number }): string[] =>
      readEvents(fileCalls, folder, filter).events.map(({ run_id, seq }) => `${run_id}${seq}`);
    expect(seqs({})).toEqual(['a1', 'b1', 'a2', 'b2', 'a3', 'b3', 'a4', 'b4', 'a5', 'b5', 'a6', 'b6']);
    expect(seqs({ run: B })).toEqual(['b1', 'b2', 'b3', 'b4', 'b5', 'b6']);
    expect(seqs({ run: A, afterSeq: 4 })).toEqual(['a5', 'a6']);
    expect(seqs({ run: 'c' as RunId })).toEqual([]);
  });

  test('past damaged lines, which are counted', () => {
    const folder = folderWithTwoRuns();
    for (const name of ['events.1.jsonl', 'events.jsonl'])
      appendFileSync(path.join(folder, 'logs', name), '{"seq":7,"run_id":"a"\n\0\0\n\n"text"\n[]\n{}\n');
    const read = readEvents(fileCalls, folder);
    expect([read.events.length, read.damaged]).toEqual([12, 10]);
    expect(readEvents(fileCalls, folder, { run: A }).damaged).toBe(2);
  });

  test('with the others, where a file can not be read', () => {
    const folder = folderWithTwoRuns();
    rmSync(path.join(folder, 'logs/events.1.jsonl'));
    mkdirSync(path.join(folder, 'logs/events.1.jsonl'));
    const { events, unread } = readEvents(fileCalls, folder);
    expect(events.map(({ seq }) => seq)).toEqual([1, 1, 2, 2, 5, 5, 6, 6]);
    expect(unread).toMatchObject([{ path: path.join(folder, 'logs/events.1.jsonl') }]);
    expect(unread[0]?.why).toMatch(/^EISDIR/);
  });

  test('once each, where another process turns the log over in the meantime', () => {
    const folder = folderWithTwoRuns();
    let reads = 0;
    const meanwhile: FileCalls = {
      ...fileCalls,
      read: (file) => {
        reads += 1;
        if (reads === 2) {
          const { log } = openLog(folder, { rotateBytes: 10, keptFiles: 50 });
          log.write(progress(7, 'x'));
          log.close();
        }
        return fileCalls.read(file);
      },
    };
    expect(readEvents(meanwhile, folder, { run: A }).events.map(({ seq }) => seq)).toEqual([1, 2, 3, 4, 5, 6, 7]);
  });

  test('from their blobs, while these are there and whole', () => {
    const folder = newFolder();
    const { log } = openLog(folder);
    const written = [1, 2, 3, 4].map((seq) => sized(seq, 9_000));
    for (const event of written) log.write(event);
    log.close();
    const [, second = '', third = '', fourth = ''] = blobNames(folder).map((name) =>
      path.join(folder, 'artifacts', name),
    );
    rmSync(second);
    writeFileSync(third, '{"seq":3');
    writeFileSync(fourth, JSON.stringify(sized(9, 9_000)));
    const read = readEvents(fileCalls, folder, { resolve: true });
    expect(read.events[0]).toEqual(written[0]);
    expect(read.events.slice(1)).toMatchObject([2, 3, 4].map((seq) => ({ seq, payload: { type: 'blob_ref' } })));
    expect(read.damaged).toBe(0);
  });
});

describe('the last sequence number of a run', () => {
  test('is found in whatever file it is', () => {
    const folder = folderWithTwoRuns();
    expect([lastSequence(fileCalls, folder, A), lastSequence(fileCalls, folder, B)]).toEqual([6, 6]);
    const { log } = openLog(folder, { rotateBytes: 1_500, keptFiles: 50 });
    for (let seq = 7; seq <= 30; seq += 1) log.write(progress(seq, '', B));
    log.close();
    expect([lastSequence(fileCalls, folder, A), lastSequence(fileCalls, folder, B)]).toEqual([6, 30]);
    expect(lastSequence(fileCalls, folder, 'c' as RunId)).toBe(0);
  });

  test('is that of an event of the run, not of one that tells of it', () => {
    const folder = newFolder();
    const { log } = openLog(folder);
    log.write(progress(3, ''));
    log.write(sized(4, 9_000));
    log.write(progress(8, JSON.stringify(progress(50, '')), B));
    log.write({ ...progress(9, '', B), metadata: { run_id: A } } as never);
    log.close();
    appendFileSync(path.join(folder, 'logs/events.jsonl'), `${JSON.stringify(progress(5, '')).slice(0, -1)}\n`);
    expect([lastSequence(fileCalls, folder, A), lastSequence(fileCalls, folder, B)]).toEqual([4, 9]);
  });

  test('reads no more files than it must', () => {
    const folder = folderWithTwoRuns();
    const read: string[] = [];
    const watched: FileCalls = {
      ...fileCalls,
      read: (file) => {
        read.push(path.basename(file));
        return fileCalls.read(file);
      },
    };
    lastSequence(watched, folder, B);
    expect(read).toEqual(['events.jsonl']);
  });

  test('is 0 where the log can not be read', () => {
    const folder = folderWithTwoRuns();
    const { calls } = failingFileCalls(fileCalls, { at: 1, code: 'EACCES', lasting: true });
    expect(lastSequence(calls, folder, A)).toBe(0);
    expect(readEvents(calls, folder)).toMatchObject({ events: [], unread: [{ path: path.join(folder, 'logs') }] });
  });
});

test('whatever is written is read again', () => {
  verifies('engine.events.file', 'engine.blobs.events');
  const room = 600 - Buffer.byteLength(JSON.stringify(progress(1, '')));
  const text = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 40 }),
    fc.integer({ min: -3, max: 3 }).map((offset) => 'x'.repeat(room + offset)),
    fc
      .tuple(fc.constantFrom('ü', '\u2028', '\ud83d\ude00', '\ud800', '\0', '"'), fc.integer({ min: 0, max: room }))
      .map(([character, times]) => character.repeat(times)),
  );
  const step = fc.record({
    text,
    run: fc.constantFrom(A, B, 'r"\\\u2028' as RunId),
    then: fc.constantFrom('nothing', 'pass', 'flush', 'restart'),
  });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 30 }), fc.integer({ min: 1, max: 3_000 }), (steps, rotateBytes) => {
      const folder = newFolder();
      const open = () => openLog(folder, { rotateBytes, keptFiles: 50, inlineBytes: 600 });
      let now = open();
      const events = steps.map(({ text: said, run }, index) => progress(index + 1, said, run));
      for (const [index, { then }] of steps.entries()) {
        now.log.write(events[index]!);
        if (then === 'pass') now.pass();
        if (then === 'flush') now.log.flush();
        if (then !== 'restart') continue;
        now.log.close();
        now = open();
      }
      now.log.close();
      expect(readEvents(fileCalls, folder, { resolve: true })).toEqual({ events, damaged: 0, unread: [] });
      for (const run of new Set(steps.map((one) => one.run))) {
        const last = events.filter((event) => event.run_id === run).at(-1);
        expect(lastSequence(fileCalls, folder, run)).toBe(last?.seq);
      }
      const inLine = events.map((event) => JSON.stringify(event).replaceAll('\u2028', '\\u2028'));
      expect(blobNames(folder)).toHaveLength(inLine.filter((line) => Buffer.byteLength(line) > 600).length);
      expect(readdirSync(folder).filter((name) => name !== 'artifacts')).toEqual(['logs']);
    }),
    { numRuns: 150 },
  );
});
