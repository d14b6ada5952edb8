import { expect, test } from 'vitest';
import {
  compactRun,
  createCommitter,
  createJournal,
  createSharedLog,
  type Journal,
  journalFile,
  makeFolders,
  openJournal,
  type Place,
  readRun,
  recoverSharedLog,
  takeOverRun,
} from '#actors/journal/index.ts';
import type { FileCalls } from '#protocol/file-calls.ts';
import type { RunId } from '#protocol/id.ts';
import type { JournalEntry, LocalKey } from '#protocol/journal.ts';
import { headerOf } from '../../../support/sealed-journal.ts';
import { seededRandom } from '../../../support/seeded-random.ts';
import { type Call, createSimulatedDisk } from '../../../support/simulated-disk.ts';
import { verifies } from '../../../e2e/verifies.ts';

const FOLDER = '/project/.flow';
const A = 'ra1' as RunId;
const B = 'rb1' as RunId;

const open: JournalEntry = { type: 'open', at: 2, why: 'start' };
const stop: JournalEntry = { type: 'stop', how: 'interrupted', at: 3 };
const end: JournalEntry = { type: 'end', outcome: 'completed', reason: null, details: {}, at: 9 };

/** Creates a disk on which a test can make the next call with a given name fail, for a file of the first run. */
function refusingDisk() {
  const disk = createSimulatedDisk([['/project/robosmith.json', Buffer.from('{}')]]);
  let refused: { readonly name: Call['name']; readonly code: string } | null = null;
  const decide = ({ name, path }: Call) => {
    if (refused?.name !== name || !path.includes(A)) return { kind: 'go' } as const;
    const { code } = refused;
    refused = null;
    return { kind: 'fail', code } as const;
  };
  let program = disk.start({ decide });
  return {
    place: (): Place => ({ calls: program.calls, folder: FOLDER }),
    refuse: (name: Call['name'], code: string) => void (refused = { name, code }),
    crash: () => {
      program.kill();
      program = disk.start({ decide });
    },
    losePower: (seed: number) => {
      program.kill();
      disk.losePower(seededRandom(seed));
      program = disk.start({ decide });
    },
    certain: (run: RunId) => disk.safeContent(journalFile(FOLDER, run)),
  };
}

function engineOn(calls: FileCalls) {
  const place: Place = { calls, folder: FOLDER };
  makeFolders(place);
  const shared = createSharedLog(calls, FOLDER);
  const nextTurn = (work: () => void): void => void setImmediate(work);
  const committer = createCommitter({ calls, shared, nextTurn, elapsed: () => 0 });
  return { place, committer };
}

/** Starts two runs whose lines are in the shared log. */
async function twoRuns(calls: FileCalls, more: readonly JournalEntry[] = [open]) {
  const { place, committer } = engineOn(calls);
  const journals = [
    createJournal(place, committer, headerOf(A)),
    createJournal(place, committer, headerOf(B)),
  ] as const;
  const safe = (): Promise<unknown> => Promise.all(journals.map(async (journal) => journal.safe()));
  await safe();
  for (const entry of more) {
    for (const journal of journals) journal.append(entry);
    await safe();
  }
  return { committer, journals };
}

const closeAll = (journals: readonly Journal[]): void => {
  for (const journal of journals) journal.close();
};

const typesOf = (place: Place, run: RunId): unknown => {
  const reading = readRun(place, run);
  return reading.kind === 'read' ? reading.run.entries.map(({ type }) => type) : reading;
};

test('a line that a disk refused, and that can be read all the same, is written once more before it counts', async () => {
  verifies('engine.crash-barrier.disk');
  const disk = refusingDisk();
  const { place, committer } = engineOn(disk.place().calls);
  const first = createJournal(place, committer, headerOf(A));
  await first.safe();
  disk.refuse('datasync', 'EIO');
  first.append(open);
  await expect(first.safe()).rejects.toMatchObject({ code: 'state_not_saved' });
  first.close();
  const { descriptor, end: at, size } = takeOverRun(place, A);
  const again = openJournal({ place, committer, run: A, descriptor, end: at, size });
  again.append(stop);
  await again.safe();
  disk.losePower(1);
  expect(typesOf(disk.place(), A)).toEqual(['run', 'open', 'stop']);
});

test('so are lines that only the shared log had, before an engine that begins anew removes it', async () => {
  verifies('engine.crash-barrier.disk', 'engine.journal.group-commit');
  const disk = refusingDisk();
  const { committer } = await twoRuns(disk.place().calls);
  disk.refuse('datasync', 'EIO');
  expect(committer.settleAll()).toBe(false);
  disk.crash();
  recoverSharedLog(disk.place());
  disk.place().calls.syncFolder(FOLDER);
  disk.losePower(2);
  expect([typesOf(disk.place(), A), typesOf(disk.place(), B)]).toEqual([
    ['run', 'open'],
    ['run', 'open'],
  ]);
});

test('the shared log stays when the file of a closed run was refused, also when the next sync succeeds', async () => {
  verifies('engine.crash-barrier.disk', 'engine.journal.group-commit');
  const disk = refusingDisk();
  const { committer, journals } = await twoRuns(disk.place().calls);
  closeAll(journals);
  disk.refuse('datasync', 'EIO');
  expect(() => committer.settleAll()).toThrow('EIO');
  expect(committer.settleAll()).toBe(false);
  disk.losePower(3);
  expect(typesOf(disk.place(), A)).toEqual(['run', 'open']);
});

test('the shared log stays until the names of new runs are safe', async () => {
  verifies('engine.crash-barrier.disk', 'engine.journal.group-commit');
  const disk = refusingDisk();
  const { committer } = await twoRuns(disk.place().calls);
  disk.refuse('syncFolder', 'EMFILE');
  expect(() => committer.settleAll()).toThrow('EMFILE');
  expect(committer.settleAll()).toBe(true);
  for (const run of [A, B]) expect(disk.certain(run)?.toString()).toContain('"type":"open"');
});

test('the folder of the state is safe with the first run in it', async () => {
  verifies('engine.journal.one-append');
  for (let seed = 0; seed < 20; seed += 1) {
    const disk = refusingDisk();
    const { place, committer } = engineOn(disk.place().calls);
    await createJournal(place, committer, headerOf(A)).safe();
    disk.losePower(seed);
    expect(typesOf(disk.place(), A), `seed ${seed}`).toEqual(['run']);
  }
});

test('a shared log that was emptied, or removed, does not come back to a journal that has been made smaller', async () => {
  verifies('engine.retention');
  const executions: readonly JournalEntry[] = [
    ...['/Main__A#1', '/Main__B#1'].flatMap((text): readonly JournalEntry[] => {
      const execution = { key: text as LocalKey, attempt: 1, at: 3 };
      return [
        { type: 'intent', ...execution, worker: 'Worker:X', sideEffects: 'none' },
        { type: 'result', ...execution, stepped: { kind: 'done', outcome: { ok: true } } as never },
      ];
    }),
  ];
  for (const isCrash of [false, true])
    for (let seed = 0; seed < 20; seed += 1) {
      const disk = refusingDisk();
      const { committer, journals } = await twoRuns(disk.place().calls, [...executions, end]);
      if (isCrash) {
        disk.crash();
        recoverSharedLog(disk.place());
      } else {
        closeAll(journals);
        committer.settleAll();
      }
      expect(compactRun(disk.place(), A, 'abcdefabcdef')).toBeGreaterThan(0);
      disk.losePower(seed);
      expect(recoverSharedLog(disk.place()).damaged, `seed ${seed}`).toEqual([]);
      expect(typesOf(disk.place(), B)).toHaveLength(6);
    }
});
