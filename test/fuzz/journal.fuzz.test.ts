import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { readBlob, readRun, recoverSharedLog } from '#actors/journal/index.ts';
import { withoutPreallocation } from '#actors/journal/preallocated-file.ts';
import { compile } from '#compiler/index.ts';
import { fileCalls } from '#io/files/file-calls.ts';
import { RoboSmithError } from '#protocol/error.ts';
import type { FileCalls } from '#protocol/file-calls.ts';
import type { NodeId, RunId } from '#protocol/id.ts';
import type { BlobRef, JournalEntry } from '#protocol/journal.ts';
import { listRun } from '../../src/engine/durable/project-runs.ts';
import { verifies } from '../e2e/verifies.ts';
import { createDurableBench } from '../support/durable-run.ts';
import { seed, seededRandom } from '../support/seeded-random.ts';

const TIMES = Number(process.env['ROBOSMITH_FLIPS'] ?? 15_000);
console.log(`journal.fuzz: ${TIMES} mutations, ROBOSMITH_SEED=${seed}`);

const row = (signal: string, action: string) => ({ on_signal: `SIGNAL:${signal}`, action });
const block = (...transitions: readonly object[]) => ({ worker: 'Worker:X', transitions });

const MANIFEST = {
  version: 1,
  workers: { 'Worker:X': { kind: 'ai', provider: 'openai', model: 'm' } },
  nodes: {
    Main: {
      entry_block: 'A',
      blocks: {
        A: block(row('SUCCESS', 'FORK:Sub,Sub'), row('FAIL_DEFAULT', 'HALT_AND_FLAG')),
        B: block(row('SUCCESS', 'CALL:Sub:C'), row('FAIL_DEFAULT', 'HALT_AND_FLAG')),
        C: { ...block(row('SUCCESS', 'RETURN'), row('FAIL_DEFAULT', 'HALT_AND_FLAG')), gate: true },
      },
    },
    Sub: { entry_block: 'S', blocks: { S: block(row('SUCCESS', 'RETURN')) } },
  },
};

const LONG = 'lorem ipsum dolor sit amet, '.repeat(400);

const answers = new Map([
  ['Main__A', [{ signal: 'SIGNAL:SUCCESS', append: [{ type: 'TEXT', content: 'grüße \u2028 "quoted"\n' }] }]],
  ['Main__B', [{ signal: 'SIGNAL:SUCCESS', append: [{ type: 'TEXT', content: LONG }] }]],
  ['*', [{ signal: 'SIGNAL:SUCCESS', exports: { 'a.b': [1, 'two', null] } }]],
]);

/** Creates a project with several concurrent runs, so that the shared log has lines too, and returns its files. */
async function makeProject(): Promise<{
  readonly files: ReadonlyMap<string, Buffer>;
  readonly runs: readonly RunId[];
}> {
  const folder = mkdtempSync(path.join(tmpdir(), 'robosmith-flips-'));
  mkdirSync(path.join(folder, 'runs'));
  const { workflow } = compile([{ path: 'workflows.json', text: JSON.stringify(MANIFEST) }]);
  if (workflow === null) throw new Error('the manifest has errors');
  let ids = 0;
  const bench = createDurableBench(fileCalls, folder, (bytes) => (ids += 1).toString(16).padStart(bytes * 2, '0'));
  const store = bench.open();
  const start = () =>
    store.start(
      workflow,
      {
        start: { node: 'Main' as NodeId },
        script: { answers, halts: [{ block: 'Main__C', answer: 'proceed', guidance: 'go on' }] },
      },
      bench.ports,
      null,
      'all',
    );
  const together = [start(), start(), start()];
  for (const run of together) await bench.settle(run);
  // Closing the runs would move the lines of the shared log into their journals, so they stay open.
  const files = new Map<string, Buffer>();
  const read = (at: string): void => {
    for (const name of readdirSync(path.join(folder, at))) {
      const file = path.join(at, name);
      if (statSync(path.join(folder, file)).isDirectory()) read(file);
      else files.set(file, readFileSync(path.join(folder, file)));
    }
  };
  read('');
  store.close();
  rmSync(folder, { recursive: true });
  return { files, runs: together.map(({ id }) => id) };
}

const missing = (): never => {
  throw Object.assign(new Error('ENOENT'), { code: 'ENOENT' });
};

/** Returns file calls that read the project's files from memory. Writes only change a copy. */
function callsOver(files: ReadonlyMap<string, Buffer>): FileCalls {
  const now = new Map(files);
  const open = new Map<number, string>();
  const at = (file: string): string => path.relative('/flow', file);
  const content = (file: string): Buffer => now.get(at(file)) ?? missing();
  const nothing = (): void => undefined;
  return {
    open: (file) => {
      open.set(open.size + 3, at(file));
      if (!now.has(at(file))) now.set(at(file), Buffer.alloc(0));
      return open.size + 2;
    },
    close: nothing,
    write: (descriptor, bytes, position) => {
      const file = open.get(descriptor) ?? '';
      const known = now.get(file) ?? Buffer.alloc(0);
      const from = position ?? known.length;
      now.set(file, Buffer.concat([known.subarray(0, from), bytes, known.subarray(from + bytes.length)]));
      return bytes.length;
    },
    truncate: (descriptor, size) => {
      const file = open.get(descriptor) ?? '';
      now.set(file, (now.get(file) ?? Buffer.alloc(0)).subarray(0, size));
    },
    datasync: nothing,
    sync: nothing,
    syncFolder: nothing,
    makeFolder: nothing,
    removeFolder: nothing,
    datasyncAside: () => Promise.resolve(),
    rename: (from, to) => {
      now.set(at(to), content(from));
      now.delete(at(from));
    },
    link: (from, to) => void now.set(at(to), content(from)),
    remove: (file) => {
      if (!now.delete(at(file))) missing();
    },
    list: (folder) => {
      const inside = at(folder) === '' ? '' : `${at(folder)}/`;
      const names = [...now.keys()].filter((file) => file.startsWith(inside)).map((file) => file.slice(inside.length));
      return [...new Set(names.map((name) => name.split('/')[0] ?? ''))];
    },
    read: content,
    stat: (file) => ({ size: content(file).length, modifiedAt: 0, isFolder: false }),
  };
}

type Mutation = {
  readonly kind: 'flip' | 'cut' | 'change' | 'insert' | 'remove';
  readonly at: number;
  readonly bytes: Buffer;
};

function mutate(bytes: Buffer, next: () => number): Mutation {
  // Only few mutations are placed in the preallocated space at the end of the file, which a crashed engine leaves.
  const at = Math.floor(next() * Math.min(bytes.length, withoutPreallocation(bytes).length + 100));
  const chance = next();
  const other = Buffer.from([Math.floor(next() * 256)]);
  const [before, here, after] = [bytes.subarray(0, at), bytes.subarray(at, at + 1), bytes.subarray(at + 1)];
  if (chance < 0.6) {
    const flipped = Buffer.from([(here[0] ?? 0) ^ (1 << Math.floor(next() * 8))]);
    return { kind: 'flip', at, bytes: Buffer.concat([before, flipped, after]) };
  }
  if (chance < 0.8) return { kind: 'cut', at, bytes: before };
  if (chance < 0.9) return { kind: 'change', at, bytes: Buffer.concat([before, other, after]) };
  if (chance < 0.95) return { kind: 'insert', at, bytes: Buffer.concat([before, other, here, after]) };
  return { kind: 'remove', at, bytes: Buffer.concat([before, after]) };
}

const isPrefix = (entries: readonly JournalEntry[], of: readonly JournalEntry[]): boolean =>
  entries.length <= of.length && JSON.stringify(entries) === JSON.stringify(of.slice(0, entries.length));

/** Returns the offset of the last line, not counting preallocated space at the end of the file. */
const lastLine = (bytes: Buffer): number => bytes.lastIndexOf(0x0a, withoutPreallocation(bytes).length - 2) + 1;

const project = await makeProject();
const entriesOf = (run: RunId, files: ReadonlyMap<string, Buffer>): readonly JournalEntry[] | 'damaged' | 'missing' => {
  const reading = readRun({ calls: callsOver(files), folder: '/flow' }, run);
  return reading.kind === 'read' ? reading.run.entries : reading.kind;
};
const tally = new Map<string, number>();
const count = (what: string): void => void tally.set(what, (tally.get(what) ?? 0) + 1);
afterAll(() => console.log(`journal.fuzz: ${[...tally].map(([what, times]) => `${what} ${times}`).join(', ')}`));

/** Mutates each file of one kind several times. Mutations without effect are skipped. */
function each(
  kind: RegExp,
  times: number,
  salt: number,
  check: (file: string, made: Mutation, original: Buffer) => void,
) {
  const next = seededRandom(seed + salt);
  const files = [...project.files].filter(([file, bytes]) => kind.test(file) && bytes.length > 0);
  expect(files.length).toBeGreaterThan(0);
  for (let time = 0; time < times; time += 1) {
    const [file, original] = files[Math.floor(next() * files.length)] ?? missing();
    const made = mutate(original, next);
    if (!made.bytes.equals(original)) check(file, made, original);
  }
}

const withOne = (file: string, bytes: Buffer): ReadonlyMap<string, Buffer> => new Map(project.files).set(file, bytes);
const runOf = (file: string): RunId => (file.split('/')[1] ?? '') as RunId;

describe(
  'a file of the state that has changed on the disk is read as it was, or refused; nothing else',
  { timeout: 0 },
  () => {
    test('a journal: only its end may be missing, as after a crash, and only where no state file has counted it', () => {
      verifies('engine.journal.torn-line');
      // The shared log is excluded, since recovery would use it to repair the end of the journal.
      const own = new Map([...project.files].filter(([file]) => file !== 'shared-log.jsonl'));
      const whole = new Map(project.runs.map((run) => [run, entriesOf(run, own)]));
      each(/journal\.jsonl$/, Math.round(TIMES * 0.6), 1, (file, made, original) => {
        const run = runOf(file);
        const entries = entriesOf(run, new Map(own).set(file, made.bytes));
        const before = whole.get(run);
        const damage = `${made.kind} at ${made.at} of ${file}`;
        if (entries === 'damaged' || entries === 'missing' || before === undefined || typeof before === 'string') {
          expect(entries, damage).toBe('damaged');
          return count('journal refused');
        }
        expect(isPrefix(entries, before), damage).toBe(true);
        if (entries.length === before.length) return count('journal whole');
        // Entries may be missing only if the damaged end of the file was treated as a torn write.
        if (made.kind !== 'cut') expect(made.at, damage).toBeGreaterThanOrEqual(lastLine(original));
        count('journal end dropped');
        const listing = listRun({ calls: callsOver(new Map(own).set(file, made.bytes)), folder: '/flow' }, run, null);
        expect(listing?.kind, damage).toBe('damaged');
      });
    });

    test('a state file: the listing is the same, since the journal knows better', () => {
      const listed = new Map(
        project.runs.map((run) => [run, listRun({ calls: callsOver(project.files), folder: '/flow' }, run, null)]),
      );
      each(/flow_state_/, Math.round(TIMES * 0.15), 2, (file, made) => {
        const run = runOf(file);
        const listing = listRun({ calls: callsOver(withOne(file, made.bytes)), folder: '/flow' }, run, null);
        expect(listing, `${made.kind} at ${made.at} of ${file}`).toEqual(listed.get(run));
        count('state file rebuilt');
      });
    });

    test('a blob: corrupt_state, which names the file', () => {
      each(/^blobs\//, Math.round(TIMES * 0.1), 3, (file, made) => {
        const ref: BlobRef = { blob: path.basename(file), bytes: 0 };
        const read = (): string => readBlob({ calls: callsOver(withOne(file, made.bytes)), folder: '/flow' }, ref);
        let thrown: unknown = null;
        try {
          read();
        } catch (caught) {
          thrown = caught;
        }
        expect(RoboSmithError.is(thrown, 'corrupt_state'), `${made.kind} at ${made.at} of ${file}`).toBe(true);
        count('blob refused');
      });
    });

    test('the log that runs share: an engine that starts has every run as it was, but for the torn end, or refuses', () => {
      // The files in the state after a power loss that erased the runs' unsynced journals.
      const early = new Map(
        [...project.files]
          .filter(([file]) => !file.includes('flow_state_'))
          .map(([file, bytes]) => [file, file.endsWith('journal.jsonl') ? Buffer.alloc(0) : bytes] as const),
      );
      // Some runs wrote later lines only to their own journals, so the shared log contains only their first lines.
      const unharmed = callsOver(early);
      recoverSharedLog({ calls: unharmed, folder: '/flow' });
      const inLog = new Map(
        project.runs.map((run) => {
          const reading = readRun({ calls: unharmed, folder: '/flow' }, run);
          return [run, reading.kind === 'read' ? reading.run.entries : reading.kind] as const;
        }),
      );
      each(/^shared-log/, Math.round(TIMES * 0.15), 4, (file, made, original) => {
        const damage = `${made.kind} at ${made.at} of ${file}`;
        const calls = callsOver(new Map(early).set(file, made.bytes));
        try {
          recoverSharedLog({ calls, folder: '/flow' });
        } catch (thrown) {
          expect(RoboSmithError.is(thrown, 'corrupt_state'), `${damage}: ${String(thrown)}`).toBe(true);
          return count('shared log refused');
        }
        for (const run of project.runs) {
          const reading = readRun({ calls, folder: '/flow' }, run);
          const before = inLog.get(run);
          if (reading.kind === 'damaged') {
            count('run of the shared log refused');
            continue;
          }
          if (reading.kind !== 'read' || before === undefined || typeof before === 'string') {
            expect(made.kind, damage).toBe('cut');
            continue;
          }
          expect(isPrefix(reading.run.entries, before), damage).toBe(true);
          if (reading.run.entries.length < before.length && made.kind !== 'cut')
            expect(made.at, damage).toBeGreaterThanOrEqual(lastLine(original));
        }
        count('shared log recovered');
      });
    });
  },
);
