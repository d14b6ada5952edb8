import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { readEvents } from '#actors/event-log/index.ts';
import { fileCalls } from '#io/files/file-calls.ts';
import type { FileCalls } from '#protocol/file-calls.ts';
import { verifies } from '../../../e2e/verifies.ts';
import { failingFileCalls } from '../../../support/failing-file-calls.ts';
import { A, B, blobNames, linesOf, logNames, newFolder, openLog, progress, sized } from './temp-log.ts';

const sequences = (folder: string, name?: string): unknown[] =>
  linesOf(folder, name).map((line) => (line as { seq: number }).seq);

test('a full file makes room for a new one; the last that is kept goes', () => {
  verifies('engine.events.file');
  const folder = newFolder();
  const { log, warnings } = openLog(folder, { rotateBytes: 2_000, keptFiles: 3 });
  for (let seq = 1; seq <= 10; seq += 1) log.write(sized(seq, 999));
  log.close();
  expect(logNames(folder)).toEqual(['events.1.jsonl', 'events.2.jsonl', 'events.3.jsonl', 'events.jsonl']);
  expect(logNames(folder).map((name) => sequences(folder, name))).toEqual([
    [7, 8],
    [5, 6],
    [3, 4],
    [9, 10],
  ]);
  expect(readEvents(fileCalls, folder).events.map(({ seq }) => seq)).toEqual([3, 4, 5, 6, 7, 8, 9, 10]);
  expect(warnings).toEqual([]);
});

test('a process goes on in the file of the one before', () => {
  const folder = newFolder();
  for (const seq of [1, 2, 3]) {
    const { log } = openLog(folder, { rotateBytes: 2_000 });
    log.write(sized(seq, 999));
    log.close();
  }
  expect(logNames(folder).map((name) => sequences(folder, name))).toEqual([[1, 2], [3]]);
});

test('a line that is larger than a file has one of its own', () => {
  const folder = newFolder();
  const { log } = openLog(folder, { rotateBytes: 500 });
  for (let seq = 1; seq <= 3; seq += 1) log.write(sized(seq, 700));
  log.close();
  expect(logNames(folder).map((name) => sequences(folder, name))).toEqual([[2], [1], [3]]);
});

test('with a file that goes, the blobs go that it alone names', () => {
  const folder = newFolder();
  const { log } = openLog(folder, { rotateBytes: 1_200, keptFiles: 1 });
  log.write(sized(1, 9_000));
  log.write(sized(2, 9_000), { preserve: true });
  log.write(sized(3, 1_000));
  expect(logNames(folder)).toEqual(['events.1.jsonl', 'events.jsonl']);
  expect(blobNames(folder)).toHaveLength(2);
  log.write(sized(4, 1_000));
  log.close();
  expect(logNames(folder).map((name) => sequences(folder, name))).toEqual([[3], [4]]);
  expect(blobNames(folder)).toHaveLength(1);
});

test('a gap in the files is filled before one goes', () => {
  const folder = newFolder();
  const write = (name: string, seq: number): void => {
    openLog(folder).log.close();
    writeFileSync(path.join(folder, 'logs', name), `${JSON.stringify(progress(seq, ''))}\n`);
  };
  for (const [name, seq] of [
    ['events.3.jsonl', 1],
    ['events.1.jsonl', 2],
    ['events.jsonl', 3],
  ] as const)
    write(name, seq);
  const { log } = openLog(folder, { rotateBytes: 10, keptFiles: 3 });
  log.write(progress(4, ''));
  log.close();
  expect(readEvents(fileCalls, folder).events.map(({ seq }) => seq)).toEqual([1, 2, 3, 4]);
});

test('files that can not be renamed: the log goes on in the same one and says so once', () => {
  verifies('engine.events.disk');
  const folder = newFolder();
  let tries = 0;
  const stuck: FileCalls = {
    ...fileCalls,
    rename: () => {
      tries += 1;
      throw Object.assign(new Error('EPERM: held by another program'), { code: 'EPERM' });
    },
  };
  const { log, warnings } = openLog(folder, { rotateBytes: 2_000 }, stuck);
  for (let seq = 1; seq <= 9; seq += 1) log.write(sized(seq, 999));
  log.close();
  expect(logNames(folder)).toEqual(['events.jsonl']);
  expect(sequences(folder)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9]);
  expect(tries, 'once for every 2,000 bytes').toBe(4);
  expect(warnings).toEqual([
    `The event log below ${folder} has reached its size limit and can't be renamed: EPERM: held by another program. Events are still appended to it. Make the folder writable, and end the programs that hold its files open.`,
  ]);
  const later = openLog(folder, { rotateBytes: 2_000 });
  later.log.write(sized(10, 999));
  later.log.close();
  expect(logNames(folder).map((name) => sequences(folder, name))).toEqual([[1, 2, 3, 4, 5, 6, 7, 8, 9], [10]]);
});

const whole = JSON.stringify(progress(1, 'ü'));

test.each([
  ['that is whole gets its end', `${whole}\n${whole}`, `${whole}\n${whole}\n`],
  ['that is torn is cut off', `${whole}\n${whole.slice(0, -1)}`, `${whole}\n`],
  [
    'that is torn in the middle of a character is cut off',
    Buffer.from(`${whole}\n{"a":"ü`).subarray(0, -1),
    `${whole}\n`,
  ],
  ['of zeros, as a power failure leaves it, is cut off', `${whole}\n\0\0\0\0`, `${whole}\n`],
  ['that is torn and the only one is cut off', '{"seq":1,', ''],
  ['with its end stays, whatever it holds', 'damaged\n', 'damaged\n'],
])('a last line %s at the start', (_what, before, after) => {
  verifies('engine.events.file');
  const folder = newFolder();
  openLog(folder).log.close();
  writeFileSync(path.join(folder, 'logs/events.jsonl'), before);
  const { log, warnings } = openLog(folder);
  expect(readFileSync(path.join(folder, 'logs/events.jsonl'), 'utf8')).toBe(after);
  log.write(progress(2, 'next'));
  log.close();
  expect(readFileSync(path.join(folder, 'logs/events.jsonl'), 'utf8')).toBe(
    `${after}${JSON.stringify(progress(2, 'next'))}\n`,
  );
  expect(warnings).toEqual([]);
});

test('a torn line in a file that may only grow is ended: it stays alone', () => {
  const folder = newFolder();
  openLog(folder).log.close();
  writeFileSync(path.join(folder, 'logs/events.jsonl'), '{"seq":1,');
  const truncate = failingFileCalls(fileCalls, { at: 1, code: 'EPERM', lasting: true }).calls.truncate;
  const { log, warnings } = openLog(folder, {}, { ...fileCalls, truncate });
  for (let seq = 2; seq <= 3; seq += 1) log.write(progress(seq, '', B));
  log.close();
  expect(readEvents(fileCalls, folder)).toEqual({
    events: [progress(2, '', B), progress(3, '', B)],
    damaged: 1,
    unread: [],
  });
  expect(warnings).toHaveLength(1);
  expect(readEvents(fileCalls, folder, { run: A }).damaged).toBe(0);
});
