import { expect, test } from 'vitest';
import {
  createCommitter,
  createJournal,
  createSharedLog,
  type Journal,
  makeFolders,
  openJournal,
  type Place,
  readRun,
  recoverSharedLog,
  takeOverRun,
} from '#actors/journal/index.ts';
import type { RunId } from '#protocol/id.ts';
import type { JournalEntry } from '#protocol/journal.ts';
import { verifies } from '../e2e/verifies.ts';
import { headerOf } from '../support/sealed-journal.ts';
import { pick, seed, seededRandom } from '../support/seeded-random.ts';
import { type Call, createSimulatedDisk, type Verdict } from '../support/simulated-disk.ts';

const FOLDER = '/project/.flow';

const count = Number(process.env['ROBOSMITH_SHARED_LOGS'] ?? 1_500);

const CODES = ['ENOSPC', 'EIO', 'EACCES', 'EMFILE'] as const;

/** The entries that a run has written, in order, and how many of them are known to be on disk. */
interface Said {
  entries: readonly JournalEntry[];
  safe: number;
}

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/**
 * Executes runs in successive processes on a disk that fails some calls. Each process ends by a kill or a power loss.
 */
function createHistory(random: () => number) {
  const disk = createSimulatedDisk([['/project/robosmith.json', Buffer.from('{}')]]);
  const runs = new Map<RunId, Said>();
  const tally = { lines: 0, faults: 0, spoiled: 0, lives: 0 };
  let isFaulty = false;
  const losesPower = random() < 0.5;

  const decide = ({ name }: Call): Verdict => {
    if (!isFaulty || random() >= 0.06) return { kind: 'go' };
    tally.faults += 1;
    // Short writes are simulated only if no power loss follows: the simulated disk may lose the first of two writes to
    // one page, whereas a real disk keeps both or none.
    if (name === 'write' && !losesPower && random() < 0.4) return { kind: 'short' };
    return { kind: 'fail', code: CODES[pick(random, CODES.length)] ?? 'EIO' };
  };

  /** Checks that all entries reported as safe exist, and no entries that were never written. */
  const check = (place: Place): void => {
    for (const [run, said] of runs) {
      const reading = readRun(place, run);
      if (reading.kind !== 'read') {
        expect([run, reading.kind, said.safe]).toEqual([run, 'missing', 0]);
        runs.delete(run);
        continue;
      }
      const { entries } = reading.run;
      expect(entries.length, run).toBeGreaterThanOrEqual(said.safe);
      expect(entries).toEqual(said.entries.slice(0, entries.length));
      said.entries = entries;
      // A run without entries has not begun.
      if (entries.length === 0) runs.delete(run);
    }
  };

  const say = (journal: Journal, entry: JournalEntry): void => {
    const said = runs.get(journal.run);
    if (said === undefined || journal.trouble() !== null) return;
    journal.append(entry);
    said.entries = [...said.entries, entry];
    const { length } = said.entries;
    journal.safe()?.then(
      () => {
        said.safe = Math.max(said.safe, length);
        tally.lines += 1;
      },
      () => undefined,
    );
  };

  const live = async (life: number): Promise<void> => {
    tally.lives += 1;
    const program = disk.start({ decide, later: (work) => void setImmediate(work) });
    const place: Place = { calls: program.calls, folder: FOLDER };
    makeFolders(place);
    expect(recoverSharedLog(place).damaged).toEqual([]);
    check(place);
    const shared = createSharedLog(place.calls, FOLDER);
    let time = 0;
    // If the disk is slow, syncs run on another thread.
    const elapsed = (): number => (time += random() < 0.2 ? 10 : 0);
    const committer = createCommitter({ calls: place.calls, shared, nextTurn: (work) => setImmediate(work), elapsed });
    const open: Journal[] = [];
    for (const run of runs.keys())
      if (random() < 0.7) open.push(openJournal({ place, committer, run, ...takeOverRun(place, run) }));
    const begin = (): void => {
      const header = headerOf(`r${life}${runs.size}${pick(random, 1_000)}` as RunId);
      if (runs.has(header.run)) return;
      try {
        open.push(createJournal(place, committer, header));
        runs.set(header.run, { entries: [header], safe: 0 });
      } catch {
        // The creation failed, so the run has not begun.
      }
    };
    const close = (journal: Journal): void => {
      open.splice(open.indexOf(journal), 1);
      try {
        journal.close();
      } catch {
        // A failure is ignored here: the entries that must be safe are in the shared log.
      }
    };
    isFaulty = random() < 0.8;
    for (let at = 0; at < 14; at += 1) {
      if (open.length < 2 || random() < 0.2) begin();
      for (const journal of open) if (random() < 0.6) say(journal, { type: 'open', at: 100 * life + at, why: 'start' });
      await turn();
      if (random() < 0.3) await turn();
      for (const journal of open.filter((one) => one.trouble() !== null)) {
        tally.spoiled += 1;
        close(journal);
      }
      const [first] = open;
      if (first !== undefined && first.safe() === null && random() < 0.1) close(first);
    }
    isFaulty = false;
    program.kill();
    if (losesPower && random() < 0.7) disk.losePower(random);
    await turn();
  };

  return { live, tally };
}

async function liveHistory(seedOfHistory: number) {
  const { live, tally } = createHistory(seededRandom(seedOfHistory));
  for (let life = 0; life < 4; life += 1)
    await live(life).catch((thrown: unknown) => {
      throw new Error(`seed ${seedOfHistory}, life ${life}`, { cause: thrown });
    });
  return tally;
}

/**
 * A seed for which a torn write of the shared log joins the start of one run's line with the end of another run's line.
 */
const JOINED_LINES = 189650276;

test('lines of two runs that a torn write has joined', async () => {
  verifies('engine.crash-barrier.disk');
  const { lives, faults } = await liveHistory(JOINED_LINES);
  expect([lives, faults > 0]).toEqual([4, true]);
});

test(`what runs say beside each other on a disk that refuses calls (ROBOSMITH_SEED=${seed}, ${count} histories)`, async () => {
  verifies('engine.crash-barrier.disk');
  const total = { lines: 0, faults: 0, spoiled: 0, lives: 0 };
  for (let at = 0; at < count; at += 1) {
    const tally = await liveHistory(seed + at);
    for (const key of ['lines', 'faults', 'spoiled', 'lives'] as const) total[key] += tally[key];
  }
  console.log(
    `${total.lives} lives, ${total.lines} safe lines, ${total.faults} refused calls, ${total.spoiled} runs that could not be kept`,
  );
  expect(Math.min(total.lines, total.spoiled)).toBeGreaterThan(count);
}, 0);
