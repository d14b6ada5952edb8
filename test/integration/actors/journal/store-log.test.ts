import { createHash } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createLogs } from '#actors/journal/index.ts';
import { fileCalls } from '#io/files/file-calls.ts';
import { newId } from '#io/clock/identity.ts';
import type { FileCalls } from '#protocol/file-calls.ts';
import { verifies } from '../../../e2e/verifies.ts';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'robosmith-logs-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');
const logs = (calls: FileCalls = fileCalls, most?: number) => createLogs({ calls, folder, newId }, most);
const names = (): readonly string[] => readdirSync(path.join(folder, 'blobs'));
const full = (): never => {
  throw Object.assign(new Error('ENOSPC: no space left on device'), { code: 'ENOSPC' });
};

test('a log is kept under its hash, byte for byte, and safe before it is named', async () => {
  verifies('workers.test-runner.whole-log');
  const order: string[] = [];
  const recording: FileCalls = {
    ...fileCalls,
    datasync: (descriptor) => {
      order.push('sync');
      fileCalls.datasync(descriptor);
    },
    datasyncAside: (descriptor) => {
      order.push('sync aside');
      return fileCalls.datasyncAside(descriptor);
    },
    rename: (from, to) => {
      order.push('rename');
      fileCalls.rename(from, to);
    },
    syncFolder: (at) => {
      order.push('sync folder');
      fileCalls.syncFolder(at);
    },
  };
  const log = logs(recording).open();
  const parts = [Buffer.from([0, 255, 254]), Buffer.from('text'), Buffer.alloc(200_000, 7)];
  for (const part of parts) log.add(part);
  const whole = Buffer.concat(parts);
  expect(await log.keep()).toEqual({ blob: sha256(whole), bytes: whole.length, left_out: 0 });
  expect(order).toEqual(['sync', 'rename', 'sync folder']);
  expect(names()).toEqual([sha256(whole)]);
  expect(readFileSync(path.join(folder, 'blobs', sha256(whole))).equals(whole)).toBe(true);
});

test('a large one is synced by another thread', async () => {
  const failing = logs({ ...fileCalls, datasyncAside: full }).open();
  failing.add(Buffer.alloc(2 * 1024 * 1024));
  expect(await failing.keep()).toMatchObject({ problem: expect.stringContaining('ENOSPC') as string });
  expect(names()).toEqual([]);
});

test('two that say the same are one file', async () => {
  const all = logs();
  for (let time = 0; time < 2; time += 1) {
    const log = all.open();
    log.add(Buffer.from('same'));
    expect(await log.keep()).toMatchObject({ blob: sha256(Buffer.from('same')) });
  }
  expect(names()).toHaveLength(1);
});

test('past the cap the rest is counted, not kept', async () => {
  const log = logs(fileCalls, 10).open();
  for (let time = 0; time < 5; time += 1) log.add(Buffer.from('1234'));
  expect(await log.keep()).toEqual({ blob: sha256(Buffer.from('1234123412')), bytes: 10, left_out: 10 });
});

test('one that says nothing, or that nobody wants, leaves no file', async () => {
  expect(await logs().open().keep()).toBeNull();
  expect(readdirSync(folder)).toEqual([]);
  const log = logs().open();
  log.add(Buffer.alloc(10_000));
  log.discard();
  log.discard();
  expect(names()).toEqual([]);
});

test.each(['open', 'write', 'datasync', 'rename', 'syncFolder', 'makeFolder'] as const)(
  'one that can not be kept says why, and harms nothing: %s fails',
  async (call) => {
    const log = logs({ ...fileCalls, [call]: full }).open();
    log.add(Buffer.from('x'));
    log.add(Buffer.from('y'));
    expect(await log.keep()).toEqual({
      problem: "the complete output can't be stored: ENOSPC: no space left on device",
    });
    log.discard();
    if (call !== 'makeFolder') expect(names().filter((name) => name.endsWith('.tmp'))).toEqual([]);
  },
);

describe('a log of at most 8 KiB', () => {
  const counted = () => {
    let syncs = 0;
    const count = () => {
      syncs += 1;
    };
    const calls: FileCalls = { ...fileCalls, datasync: count, syncFolder: count };
    return { calls, syncs: () => syncs };
  };

  test('is not stored if the result has all of it, and costs no sync', async () => {
    const { calls, syncs } = counted();
    const log = logs(calls).open();
    const part = Buffer.from('x'.repeat(4_000));
    log.add(part);
    part.fill('y');
    log.add(Buffer.from('z'.repeat(4_192)));
    expect(await log.keep('x'.repeat(4_000) + 'z'.repeat(4_192))).toBeNull();
    expect([readdirSync(folder), syncs()]).toEqual([[], 0]);
  });

  test.each([
    ['the result has less of it', Buffer.from('all of it'), 'all of'],
    ['the result has hidden a part', Buffer.from('key sk-0'), 'key ****'],
    ['it is not text', Buffer.from([0xff, 0x0a]), '\ufffd\n'],
    ['nobody says what the result has', Buffer.from('all of it'), undefined],
    ['it is larger than that', Buffer.alloc(8_193, 'a'), 'a'.repeat(8_193)],
  ])('is stored where %s', async (_, bytes, shown) => {
    const log = logs().open();
    log.add(bytes);
    expect(await log.keep(shown)).toEqual({ blob: sha256(bytes), bytes: bytes.length, left_out: 0 });
    expect(names()).toEqual([sha256(bytes)]);
  });

  test('is stored where its cap left something out, and may be discarded', async () => {
    const log = logs(fileCalls, 4).open();
    log.add(Buffer.from('12345'));
    expect(await log.keep('1234')).toMatchObject({ bytes: 4, left_out: 1 });
    const other = logs().open();
    other.add(Buffer.from('small'));
    other.discard();
    expect(await other.keep('small')).toBeNull();
  });
});
