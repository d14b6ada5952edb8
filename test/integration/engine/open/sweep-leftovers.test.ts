import fs from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createEventLog } from '#actors/event-log/index.ts';
import { openPoolFile } from '#actors/keys/index.ts';
import { writeSessions } from '#actors/session/session-store.ts';
import { newId } from '#io/clock/identity.ts';
import { liveness } from '#io/process/process-identity.ts';
import { fileCalls } from '#io/files/file-calls.ts';
import type { RoboSmithEvent } from '#protocol/event.ts';
import type { FileCalls } from '#protocol/file-calls.ts';
import type { RunId } from '#protocol/id.ts';
import type { JournalEntry } from '#protocol/journal.ts';
import { createIntentLock } from '../../../../src/actors/engine-lock/index.ts';
import { writeConversation, type StoredConversation } from '../../../../src/engine/ai/agent-conversations.ts';
import { removeLeftoverIntents, sweepLeftovers } from '../../../../src/engine/open/sweep-leftovers.ts';
import { headerOf, sealedJournal } from '../../../support/sealed-journal.ts';

let folder = '';
beforeEach(() => {
  folder = fs.mkdtempSync(path.join(tmpdir(), 'robosmith-sweep-'));
});
afterEach(() => fs.rmSync(folder, { recursive: true }));

const place = () => ({ calls: fileCalls, folder });

function put(file: string, content = 'x'): void {
  const at = path.join(folder, file);
  fs.mkdirSync(path.dirname(at), { recursive: true });
  fs.writeFileSync(at, content);
}

const files = (): readonly string[] =>
  fs
    .readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() || fs.readdirSync(path.join(entry.parentPath, entry.name)).length === 0)
    .map((entry) => path.relative(folder, path.join(entry.parentPath, entry.name)))
    .sort();

/** Returns the text of a run's journal, made of its header and these entries. */
const journal = (id: string, ...entries: readonly JournalEntry[]): string =>
  sealedJournal(id as RunId, [headerOf(id as RunId), ...entries]);

const open: JournalEntry = { type: 'open', at: 2, why: 'start' };
const end: JournalEntry = { type: 'end', outcome: 'completed', reason: null, details: {}, at: 3 };

const UNIQUE = '0123456789ab';

test('what a crash left half made goes, and nothing else', () => {
  const kept = [
    'runs/ra0/journal.jsonl',
    'runs/ra0/flow_state_ra0.json',
    'runs/ra0/flow_state_ra0#Main__one#1-00000000.json',
    `blobs/${'0'.repeat(64)}`,
    'intent.lock',
    `flow.registry.json.${UNIQUE}.tmp`,
    `engine.lock/1.json.${UNIQUE}.tmp`,
    'artifacts/blob_2.json',
    'runs/notes.tmp',
  ];
  for (const file of kept) put(file);
  put('runs/ra0/journal.jsonl', journal('ra0', open));
  for (const file of ['blobs/1', 'artifacts/blob_1.json', 'intent.lock', 'runs/ra0/journal.jsonl'])
    put(`${file}.${UNIQUE}.tmp`);
  sweepLeftovers(place());
  expect(files()).toEqual(kept.toSorted());
});

describe('what its writer itself had half made when it was killed', () => {
  /** File calls of a writer that is killed after it has written the new content and before it renames the file. */
  const deadly: FileCalls = {
    ...fileCalls,
    rename: () => {
      throw new Error('killed');
    },
    remove: () => {
      throw new Error('killed');
    },
  };
  const quiet = { now: () => 0, warn: () => undefined, report: () => undefined };
  const writers: Readonly<Record<string, () => void>> = {
    'sessions.json': () => writeSessions({ calls: deadly, folder }, { submissions: 0, sessions: [] }, newId(6)),
    'key-pool.jsonl': () => {
      const file = path.join(folder, 'key-pool.jsonl');
      openPoolFile({ ...quiet, calls: deadly, file, newId: () => newId(6) }).note({
        kind: 'disabled',
        key: 'a',
        is: true,
      });
    },
    'artifacts/blob_': () =>
      createEventLog({ ...quiet, calls: deadly, folder, newId }).write({
        seq: 1,
        run_id: 'ra0',
        trace_id: 't',
        time: 1,
        type: 'block.progress',
        text: 'x'.repeat(9_000),
      } as RoboSmithEvent),
    'agents/': () => {
      const talk = { conversation: 'ra0', agent: 'a', session: null, turns: 0 } as unknown as StoredConversation;
      writeConversation({ calls: deadly, folder, newId: () => newId(6) }, talk, (text) => text);
    },
  };

  test.each(Object.entries(writers))('goes: %s', (beginning, write) => {
    try {
      write();
    } catch {
      // The writer was killed.
    }
    const temporary = (): readonly string[] => files().filter((file) => file.endsWith('.tmp'));
    expect(temporary()).toEqual([expect.stringMatching(new RegExp(`^${beginning}`))]);
    sweepLeftovers(place());
    expect(temporary()).toEqual([]);
  });
});

test('a run whose header was never whole has not been; of one that is over only the root keeps its checkpoint', () => {
  put('runs/ra0/journal.jsonl', '');
  put('runs/ra1/journal.jsonl', journal('ra1').slice(0, -20));
  fs.mkdirSync(path.join(folder, 'runs/ra2'));
  put('runs/ra3/journal.jsonl', journal('ra3', open, end));
  for (const state of ['flow_state_ra3.json', 'flow_state_ra3#Main__one#1-00000000.json']) put(`runs/ra3/${state}`);
  sweepLeftovers(place());
  expect(files()).toEqual(['runs/ra3/flow_state_ra3.json', 'runs/ra3/journal.jsonl']);
});

test('how a process ended is forgotten once its run is over, and kept while that can go on', () => {
  for (const [run, entries] of [['ra0', [open, end]] as const, ['ra1', [open]] as const]) {
    put(`runs/${run}/journal.jsonl`, journal(run, ...entries));
    for (const beside of [`flow_state_${run}.json`, 'ended.0123456789abcdef0123456789abcdef.json'])
      put(`runs/${run}/${beside}`);
  }
  sweepLeftovers(place());
  expect(files().filter((file) => file.includes('ended.'))).toEqual([
    'runs/ra1/ended.0123456789abcdef0123456789abcdef.json',
  ]);
});

test('a damaged journal is left as it is', () => {
  put('runs/ra0/journal.jsonl', 'no journal\n');
  put('runs/ra0/flow_state_ra0#Main__one#1-00000000.json');
  sweepLeftovers(place());
  expect(files()).toEqual(['runs/ra0/flow_state_ra0#Main__one#1-00000000.json', 'runs/ra0/journal.jsonl']);
});

test('runs that were over, or had not begun, are struck out of the intents; those that can go on are not', () => {
  put('runs/ra0/journal.jsonl', journal('ra0', open));
  put('runs/ra1/journal.jsonl', journal('ra1', open, end));
  put('runs/ra2/journal.jsonl', 'no journal\n');
  const lock = () => {
    let count = 0;
    const newId = (): string => String((count += 1));
    return createIntentLock({
      calls: fileCalls,
      folder,
      self: liveness.self,
      newId,
      now: () => 1,
      warn: () => undefined,
    });
  };
  const before = lock();
  for (const run of ['ra0', 'ra1', 'ra2', 'ra3'])
    before.begin({ kind: 'run', run: run as RunId, node: 'Main' as never });
  removeLeftoverIntents(place(), lock());
  expect(
    lock()
      .pending()
      .runs.map(({ run }) => run),
  ).toEqual(['ra0', 'ra2']);
});
