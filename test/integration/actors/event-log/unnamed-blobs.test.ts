import path from 'node:path';
import { expect, test } from 'vitest';
import { createEventLog, removeUnnamedBlobs } from '#actors/event-log/index.ts';
import { fileCalls } from '#io/files/file-calls.ts';
import { newId } from '#io/clock/identity.ts';
import type { FileCalls } from '#protocol/file-calls.ts';
import { verifies } from '../../../e2e/verifies.ts';
import { A, B, blobNames, blobText, newFolder, openLog, sized } from './temp-log.ts';

/** Writes events like a process that is killed before it has written their lines. */
function killed(folder: string, ...sizes: readonly number[]): void {
  const log = createEventLog({
    calls: fileCalls,
    folder,
    newId,
    now: () => 0,
    schedule: () => undefined,
    warn: (message) => expect.unreachable(message),
  });
  for (const [index, size] of sizes.entries()) log.write(sized(index + 1, size));
}

const sizes = (folder: string): readonly number[] =>
  blobNames(folder)
    .map((name) => blobText(folder, name).length)
    .toSorted((one, other) => one - other);

test('a blob whose line was never written goes, which the end of its run does not see', () => {
  verifies('engine.blobs.events');
  const folder = newFolder();
  killed(folder, 9_000);
  const { log } = openLog(folder);
  log.write(sized(2, 9_001));
  log.write(sized(3, 9_002), { preserve: true });
  log.write(sized(1, 9_003, B));
  log.runEnded(A, 'completed');
  log.close();
  expect(sizes(folder)).toEqual([9_000, 9_002, 9_003]);
  removeUnnamedBlobs(fileCalls, folder);
  expect(sizes(folder)).toEqual([9_002, 9_003]);
});

test('what is preserved stays when the log no longer names it', () => {
  verifies('engine.blobs.events');
  const folder = newFolder();
  const { log } = openLog(folder);
  log.write(sized(1, 9_000), { preserve: true });
  log.close();
  fileCalls.remove(path.join(folder, 'logs', 'events.jsonl'));
  removeUnnamedBlobs(fileCalls, folder);
  expect(sizes(folder)).toEqual([9_000]);
});

test('and so does what has the name that earlier versions gave to all', () => {
  verifies('engine.blobs.events');
  const folder = newFolder();
  killed(folder, 9_000);
  const [name = ''] = blobNames(folder);
  const of = (blob: string): string => path.join(folder, 'artifacts', blob);
  fileCalls.rename(of(name), of(name.replace('_run', '')));
  removeUnnamedBlobs(fileCalls, folder);
  expect(sizes(folder)).toEqual([9_000]);
});

test('while a file of the log can not be read, it may name any of them', () => {
  verifies('engine.blobs.events');
  const folder = newFolder();
  killed(folder, 9_000);
  const unreadable: FileCalls = {
    ...fileCalls,
    read: () => {
      throw Object.assign(new Error('not for us'), { code: 'EACCES' });
    },
  };
  expect(() => removeUnnamedBlobs(unreadable, folder)).toThrow('not for us');
  expect(sizes(folder)).toEqual([9_000]);
});
