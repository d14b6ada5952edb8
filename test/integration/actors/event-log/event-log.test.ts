import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { createEventLog, readEvents } from '#actors/event-log/index.ts';
import { fileCalls } from '#io/files/file-calls.ts';
import type { FileCalls } from '#protocol/file-calls.ts';
import type { RunId } from '#protocol/id.ts';
import { verifies } from '../../../e2e/verifies.ts';
import {
  A,
  asEvent,
  B,
  blobNames,
  blobText,
  linesOf,
  logNames,
  logText,
  newFolder,
  openLog,
  progress,
  silent,
  sized,
} from './temp-log.ts';

test('events are appended, a line each, in one call when their time has come', () => {
  verifies('engine.events.file');
  const folder = newFolder();
  const { log, pass, warnings } = openLog(folder);
  log.write(progress(1, 'one'));
  log.write(progress(2, 'two'));
  expect(logText(folder)).toBe('');
  pass();
  expect(logText(folder)).toBe(`${JSON.stringify(progress(1, 'one'))}\n${JSON.stringify(progress(2, 'two'))}\n`);
  log.write(progress(3, 'three'));
  log.close();
  expect(linesOf(folder)).toEqual([progress(1, 'one'), progress(2, 'two'), progress(3, 'three')]);
  log.write(progress(4, 'too late'));
  log.flush();
  pass();
  expect(linesOf(folder)).toHaveLength(3);
  expect(warnings).toEqual([]);
});

test('64 KiB do not wait', () => {
  const folder = newFolder();
  const { log } = openLog(folder);
  for (let seq = 1; seq <= 9; seq += 1) log.write(sized(seq, 8_000));
  expect(logText(folder)).toHaveLength(9 * 8_001);
});

test('without a schedule, lines are there after the present turn', async () => {
  const folder = newFolder();
  const log = createEventLog({ calls: fileCalls, folder, newId: () => 'id', now: () => 0, warn: () => undefined });
  log.write(progress(1, 'one'));
  await Promise.resolve();
  expect(linesOf(folder)).toEqual([progress(1, 'one')]);
});

describe('an event of more than 8,192 bytes', () => {
  test('is in a blob, and its line says where and what is small', () => {
    verifies('engine.blobs.events');
    const folder = newFolder();
    const { log } = openLog(folder);
    const [fits, over] = [sized(1, 8_192), sized(2, 8_193)];
    log.write(fits);
    log.write(over);
    log.close();
    const [ref = ''] = blobNames(folder);
    const payload = { type: 'blob_ref', ref, bytes: 8_193, preserve: false };
    expect(linesOf(folder)).toEqual([fits, { ...silent(2), payload }]);
    expect(ref).toMatch(/^blob_[0-9a-f]{32}_run[.]json$/);
    expect(blobNames(folder)).toEqual([ref]);
    expect(blobText(folder, ref)).toBe(JSON.stringify(over));
  });

  test('is measured in bytes, not in characters', () => {
    const folder = newFolder();
    const { log } = openLog(folder);
    const filler = (8_192 - Buffer.byteLength(JSON.stringify(progress(1, '')))) / 2;
    log.write(progress(1, 'ü'.repeat(Math.floor(filler))));
    log.write(progress(2, 'ü'.repeat(Math.floor(filler) + 1)));
    log.close();
    expect(linesOf(folder).map((line) => 'payload' in (line as object))).toEqual([false, true]);
  });

  test('leaves out of its line what is not small', () => {
    const folder = newFolder();
    const { log } = openLog(folder);
    log.write(asEvent({ ...progress(1, 'x'.repeat(9_000)), node: 'n'.repeat(300), frame: 'ü'.repeat(120) }));
    log.close();
    const [line] = linesOf(folder) as { node?: string; frame?: string }[];
    expect([line?.node, line?.frame]).toEqual([undefined, 'ü'.repeat(120)]);
    const { events } = readEvents(fileCalls, folder, { resolve: true });
    expect(events[0]).toMatchObject({ node: 'n'.repeat(300), text: 'x'.repeat(9_000) });
  });

  test('says why where its blob can not be written', () => {
    const folder = newFolder();
    writeFileSync(path.join(folder, 'artifacts'), 'no folder');
    const { log, warnings } = openLog(folder);
    log.write(sized(1, 9_000));
    log.write(progress(2, 'small'));
    log.close();
    const [line, small] = linesOf(folder) as { seq: number; payload: { unsaved: string } }[];
    expect(line?.seq).toBe(1);
    expect(line?.payload.unsaved).toMatch(/^EEXIST/);
    expect(small).toEqual(progress(2, 'small'));
    expect(warnings).toHaveLength(1);
  });
});

describe('blobs of a run', () => {
  const folderWithBlobs = (): string => {
    const folder = newFolder();
    const { log } = openLog(folder);
    log.write(sized(1, 9_000));
    log.write(sized(2, 9_001), { preserve: true });
    log.write(sized(1, 9_002, B));
    log.close();
    return folder;
  };
  const blobSizes = (folder: string): number[] => blobNames(folder).map((name) => blobText(folder, name).length);

  test.each(['completed', 'cancelled'] as const)('go when it is %s, but for those to preserve', (outcome) => {
    verifies('engine.blobs.events');
    const folder = newFolder();
    const { log } = openLog(folder);
    for (const [seq, preserve] of [false, true, false].entries()) log.write(sized(seq + 1, 9_001 + seq), { preserve });
    log.write(sized(1, 9_009, B));
    log.runEnded(A, outcome);
    expect(blobSizes(folder)).toEqual([9_002, 9_009]);
    log.close();
    expect(linesOf(folder)).toHaveLength(4);
  });

  test.each(['failed', 'interrupted'] as const)('stay when it is %s, and go when it completes after all', (outcome) => {
    const folder = folderWithBlobs();
    const { log } = openLog(folder);
    log.write(sized(3, 9_003));
    log.runEnded(A, outcome);
    expect(blobSizes(folder)).toEqual([9_000, 9_001, 9_002, 9_003]);
    log.flush();
    log.runEnded(A, 'completed');
    expect(blobSizes(folder)).toEqual([9_001, 9_002]);
    log.close();
  });

  test('go also when it failed, went on in the same process, and completed', () => {
    const folder = newFolder();
    const { log } = openLog(folder);
    log.write(sized(1, 9_000));
    log.runEnded(A, 'failed');
    log.write(sized(2, 9_001));
    log.runEnded(A, 'completed');
    expect(blobSizes(folder)).toEqual([]);
  });

  test('are known without reading the log, where all of it happened here', () => {
    const folder = folderWithBlobs();
    const read: string[] = [];
    const watched: FileCalls = { ...fileCalls, read: (file) => (read.push(file), fileCalls.read(file)) };
    const { log } = openLog(folder, {}, watched);
    const run = 'c' as RunId;
    log.write(sized(1, 9_004, run));
    read.length = 0;
    log.runEnded(run, 'completed');
    expect([read, blobSizes(folder)]).toEqual([[], [9_000, 9_001, 9_002]]);
  });

  test('do not wait for the disk', () => {
    const synced: string[] = [];
    const noted = (name: string) => (): void => void synced.push(name);
    const calls = { ...fileCalls, sync: noted('sync'), datasync: noted('datasync'), syncFolder: noted('syncFolder') };
    const { log } = openLog(newFolder(), { rotateBytes: 500 }, calls);
    for (let seq = 1; seq < 5; seq += 1) log.write(sized(seq, 9_000));
    log.runEnded(A, 'completed');
    log.close();
    expect(synced).toEqual([]);
  });

  test('go also where an earlier process wrote them, and the log was turned over since', () => {
    const folder = folderWithBlobs();
    const { log } = openLog(folder, { rotateBytes: 1_000 });
    for (let seq = 2; seq < 10; seq += 1) log.write(progress(seq, 'x', B));
    log.runEnded(A, 'completed');
    expect(blobSizes(folder)).toEqual([9_001, 9_002]);
    log.close();
  });

  test('may be gone already', () => {
    const folder = folderWithBlobs();
    rmSync(path.join(folder, 'artifacts'), { recursive: true });
    const { log, warnings } = openLog(folder);
    log.runEnded(A, 'completed');
    log.runEnded(B, 'cancelled');
    log.close();
    expect(warnings).toEqual([]);
  });

  test('are named by us: a line that names another file removes nothing', () => {
    const folder = newFolder();
    const { log } = openLog(folder);
    mkdirSync(path.join(folder, 'artifacts'));
    for (const name of ['state.json', 'artifacts/other.json']) writeFileSync(path.join(folder, name), '{}');
    for (const [seq, ref] of ['../state.json', 'other.json', '..\\state.json', 'blob_/../../state.json', 7].entries())
      log.write(asEvent({ ...progress(seq + 2, ''), payload: { type: 'blob_ref', ref, preserve: false } }));
    log.flush();
    log.runEnded(A, 'completed');
    log.close();
    expect([fileCalls.read(path.join(folder, 'state.json')).length, blobNames(folder)]).toEqual([2, ['other.json']]);
    expect(readEvents(fileCalls, folder, { resolve: true }).events).toHaveLength(5);
  });
});

test('a folder that does not exist is made', () => {
  const folder = path.join(newFolder(), 'deep', '.flow');
  const { log } = openLog(folder);
  log.write(sized(1, 9_000));
  log.close();
  expect([logNames(folder), blobNames(folder).length]).toEqual([['events.jsonl'], 1]);
});
