import fs from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import {
  createCommitter,
  createJournal,
  createSharedLog,
  type Journal,
  makeFolders,
  type Place,
  readRun,
  recoverSharedLog,
} from '#actors/journal/index.ts';
import { fileCalls } from '#io/files/file-calls.ts';
import { nextTurn } from '#io/clock/turn-budget.ts';
import type { FileCalls } from '#protocol/file-calls.ts';
import type { RunId } from '#protocol/id.ts';
import type { JournalEntry } from '#protocol/journal.ts';
import { listRuns } from '../../../../src/engine/durable/project-runs.ts';
import { headerOf } from '../../../support/sealed-journal.ts';
import { verifies } from '../../../e2e/verifies.ts';

let folder = '';
beforeEach(() => {
  folder = fs.mkdtempSync(path.join(tmpdir(), 'robosmith-shared-'));
});
afterEach(() => fs.rmSync(folder, { recursive: true }));

const A = 'ra1' as RunId;
const B = 'rb1' as RunId;

const open: JournalEntry = { type: 'open', at: 2, why: 'start' };
const stop: JournalEntry = { type: 'stop', how: 'interrupted', at: 3 };

const fileOf = (run: RunId): string => path.join(folder, 'runs', run, 'journal.jsonl');

const typesOf = (run: RunId): unknown => {
  const reading = readRun({ calls: fileCalls, folder }, run);
  return reading.kind === 'read' ? reading.run.entries.map(({ type }) => type) : reading.kind;
};

/** Creates two runs whose first lines are in the shared log. */
async function twoRuns(calls: FileCalls, elapsed = () => 0) {
  const place: Place = { calls, folder };
  makeFolders(place);
  const shared = createSharedLog(calls, folder);
  const committer = createCommitter({ calls, shared, nextTurn, elapsed });
  const [a, b] = [createJournal(place, committer, headerOf(A)), createJournal(place, committer, headerOf(B))] as const;
  const both = (entry: JournalEntry): Promise<unknown> => {
    for (const journal of [a, b]) journal.append(entry);
    return Promise.all([a.safe(), b.safe()]);
  };
  await Promise.all([a.safe(), b.safe()]);
  return { committer, shared, a, b, both };
}

describe('while the lines of one run alone are being synced off the thread', () => {
  /** Starts a sync on another thread that continues until the test ends it. */
  async function inTheAir({ close } = fileCalls) {
    const gates: (() => void)[] = [];
    const calls: FileCalls = {
      ...fileCalls,
      close,
      datasyncAside: (descriptor) =>
        new Promise<void>((resolve) => gates.push(resolve)).then(() => fileCalls.datasyncAside(descriptor)),
    };
    let now = 0;
    let slow = false;
    const runs = await twoRuns(calls, () => (slow ? (now += 10) : now));
    slow = true;
    await runs.both(open);
    runs.a.append(stop);
    const safe = runs.a.safe();
    await new Promise(setImmediate);
    expect(gates).toHaveLength(1);
    return { ...runs, safe, land: () => gates[0]?.() };
  }

  const written = (): readonly unknown[] =>
    fs
      .readFileSync(fileOf(A), 'utf8')
      .replaceAll('\0', '')
      .trimEnd()
      .split('\n')
      .map((line) => (JSON.parse(line) as { n: number }).n);

  test('the shared log can be emptied', async () => {
    verifies('engine.journal.group-commit');
    const { committer, safe, land } = await inTheAir();
    expect(committer.settleAll()).toBe(true);
    land();
    await safe;
    expect(written()).toEqual([1, 2, 3]);
    expect(typesOf(A)).toEqual(['run', 'open', 'stop']);
  });

  test('a descriptor that can not be closed then hinders nobody who waits', async () => {
    verifies('engine.crash-barrier.disk');
    const asked: number[] = [];
    const { a, safe, land } = await inTheAir({
      ...fileCalls,
      close: (descriptor) => {
        asked.push(descriptor);
        throw Object.assign(new Error('the network is gone'), { code: 'EIO' });
      },
    });
    a.close();
    expect(asked).toEqual([]);
    land();
    await safe;
    expect(asked).toHaveLength(1);
    expect(typesOf(A)).toEqual(['run', 'open', 'stop']);
  });

  test('its journal can be closed, and everything after it: the descriptor stays until then', async () => {
    verifies('engine.journal.group-commit');
    const { committer, shared, a, b, safe, land } = await inTheAir();
    for (const journal of [a, b] satisfies Journal[]) journal.close();
    expect(committer.settleAll()).toBe(true);
    committer.closeLater(null, shared.close);
    land();
    await safe;
    expect(written()).toEqual([1, 2, 3]);
    expect(typesOf(B)).toEqual(['run', 'open']);
  });
});

test('a log with lines that a file can not take is not emptied, and says so', async () => {
  verifies('engine.journal.group-commit');
  let full: number | null = null;
  const opened = new Map<string, number>();
  const { committer, a, b } = await twoRuns({
    ...fileCalls,
    open: (file, how) => {
      const descriptor = fileCalls.open(file, how);
      opened.set(file, descriptor);
      return descriptor;
    },
    write: (descriptor, bytes, position) => {
      if (descriptor === full) throw Object.assign(new Error('no space left'), { code: 'ENOSPC' });
      return fileCalls.write(descriptor, bytes, position);
    },
  });
  full = opened.get(fileOf(B)) ?? null;
  b.append(open);
  await expect(b.safe()).rejects.toMatchObject({ code: 'state_not_saved' });
  b.close();
  full = null;
  a.append({ type: 'end', outcome: 'completed', reason: null, details: {}, at: 3 });
  await a.safe();
  a.close();
  expect(committer.settleAll()).toBe(false);
  expect(recoverSharedLog({ calls: fileCalls, folder })).toEqual({ runs: [A, B], damaged: [] });
  expect([typesOf(A), typesOf(B)]).toEqual([['run', 'end'], ['run']]);
});

test('what could not be written to it leaves no gap: the lines of others that follow are found after a crash', async () => {
  verifies('engine.crash-barrier.disk');
  let log: number | null = null;
  let isFull = false;
  const calls: FileCalls = {
    ...fileCalls,
    open: (file, how) => {
      const descriptor = fileCalls.open(file, how);
      if (file.endsWith('shared-log.jsonl')) log = descriptor;
      return descriptor;
    },
    write: (descriptor, bytes, position) => {
      if (isFull && descriptor === log) throw Object.assign(new Error('no space left'), { code: 'ENOSPC' });
      return fileCalls.write(descriptor, bytes, position);
    },
  };
  const { committer, both } = await twoRuns(calls);
  isFull = true;
  await expect(both(open)).rejects.toMatchObject({ code: 'state_not_saved' });
  isFull = false;
  const [C, D] = ['rc1' as RunId, 'rd1' as RunId];
  const [c, d] = [C, D].map((run) => createJournal({ calls, folder }, committer, headerOf(run)));
  await Promise.all([c?.safe(), d?.safe()]);
  // No file is closed, as if the engine had been killed.
  expect(recoverSharedLog({ calls: fileCalls, folder })).toEqual({ runs: [A, B, C, D], damaged: [] });
  expect([A, B, C, D].map(typesOf)).toEqual([['run'], ['run'], ['run'], ['run']]);
});

test('what comes after a journal was closed goes into no other file', async () => {
  verifies('engine.journal.one-append');
  const { committer, a } = await twoRuns(fileCalls);
  a.close();
  expect(committer.settleAll()).toBe(true);
  // The operating system reuses the file descriptor of the closed journal.
  const next = createJournal({ calls: fileCalls, folder }, committer, headerOf('rc1' as RunId));
  await next.safe();
  a.append(stop);
  await expect(a.safe()).rejects.toMatchObject({ code: 'state_not_saved' });
  next.append(open);
  await next.safe();
  expect([typesOf(A), typesOf('rc1' as RunId)]).toEqual([['run'], ['run', 'open']]);
});

test('a closed run whose folder a person has removed is no trouble', async () => {
  const { committer, a, b } = await twoRuns(fileCalls);
  a.close();
  b.close();
  fs.rmSync(path.dirname(fileOf(A)), { recursive: true });
  expect(committer.settleAll()).toBe(true);
  expect(typesOf(B)).toEqual(['run']);
});

test('a run is whole for who reads it while the log is emptied', async () => {
  verifies('engine.journal.group-commit');
  const { committer, both } = await twoRuns(fileCalls);
  committer.settleAll();
  await both(open);
  let isEmptied = false;
  const read: FileCalls['read'] = (file) => {
    const bytes = fileCalls.read(file);
    if (!isEmptied) isEmptied = committer.settleAll();
    return bytes;
  };
  const reading = readRun({ calls: { ...fileCalls, read }, folder }, A);
  expect(isEmptied).toBe(true);
  expect(reading).toMatchObject({ kind: 'read', run: { entries: [{ type: 'run' }, { type: 'open' }] } });
});

test('the log is read once for a list of all runs, and once for an engine that begins', async () => {
  const { committer, both } = await twoRuns(fileCalls);
  committer.settleAll();
  await both(open);
  let reads = 0;
  const read: FileCalls['read'] = (file) => {
    if (path.basename(file) === 'shared-log.jsonl') reads += 1;
    return fileCalls.read(file);
  };
  const place = { calls: { ...fileCalls, read }, folder };
  expect(listRuns(place, null).map(({ kind }) => kind)).toEqual(['run', 'run']);
  expect(reads).toBe(1);
  expect(recoverSharedLog(place).runs).toHaveLength(2);
  expect(reads).toBe(2);
});

describe('an engine that begins after a crash', () => {
  const recover = () => recoverSharedLog({ calls: fileCalls, folder });
  const crashed = async (): Promise<void> => {
    const { both, committer } = await twoRuns(fileCalls);
    committer.settleAll();
    await both(open);
  };

  test('puts lines where they belong', async () => {
    await crashed();
    expect(recover()).toEqual({ runs: [A, B], damaged: [] });
    expect([typesOf(A), typesOf(B)]).toEqual([
      ['run', 'open'],
      ['run', 'open'],
    ]);
    expect(fs.readdirSync(folder)).not.toContain('shared-log.jsonl');
  });

  test('is not held up by a run that a person has removed', async () => {
    verifies('engine.journal.torn-line');
    await crashed();
    fs.rmSync(path.dirname(fileOf(A)), { recursive: true });
    expect(recover()).toEqual({ runs: [A, B], damaged: [A] });
    expect([typesOf(A), typesOf(B)]).toEqual(['missing', ['run', 'open']]);
    expect(recover()).toEqual({ runs: [], damaged: [] });
  });

  test('is not held up by a journal that is damaged: its lines stay with it, and it stays damaged', async () => {
    verifies('engine.journal.torn-line');
    await crashed();
    const bytes = fs.readFileSync(fileOf(A));
    bytes[40] = (bytes[40] ?? 0) ^ 1;
    fs.writeFileSync(fileOf(A), bytes);
    expect(recover()).toEqual({ runs: [A, B], damaged: [A] });
    expect([typesOf(A), typesOf(B)]).toEqual(['damaged', ['run', 'open']]);
    expect(fs.readFileSync(fileOf(A), 'utf8')).toMatch(/"type":"open".*\n$/);
  });

  test('is not held up by a line of the log that is damaged: its run is, and never only shorter', async () => {
    verifies('engine.journal.torn-line');
    await crashed();
    const log = path.join(folder, 'shared-log.jsonl');
    const bytes = fs.readFileSync(log);
    const at = bytes.indexOf('"start"');
    bytes[at + 1] = (bytes[at + 1] ?? 0) ^ 1;
    fs.writeFileSync(log, bytes);
    expect(recover()).toEqual({ runs: [A, B], damaged: [A] });
    expect([typesOf(A), typesOf(B)]).toEqual(['damaged', ['run', 'open']]);
  });
});
