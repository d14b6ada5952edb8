import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { chainStart, sealLine } from '../../src/actors/journal/journal-line.ts';
import { fileCalls } from '#io/files/file-calls.ts';
import { nextTurn } from '#io/clock/turn-budget.ts';
import { wallClock } from '#io/clock/clock.ts';
import { ENGINE_VERSION } from '#protocol/engine-version.ts';
import type { RunId } from '#protocol/id.ts';
import type { JournalEntry } from '#protocol/journal.ts';
import { replayRun } from '../../src/engine/durable/replay-run.ts';
import manifest from '../../package.json' with { type: 'json' };
import { verifies } from '../e2e/verifies.ts';
import { SCENES } from './scenes.ts';
import { writeJournal } from './write-journals.ts';

const here = import.meta.dirname;
const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true });
});
const emptyFolder = (): string => {
  const folder = mkdtempSync(join(tmpdir(), 'robosmith-replay-'));
  folders.push(folder);
  return folder;
};

const versions = readdirSync(here, { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => name);

const kept = versions.flatMap((version) => readdirSync(join(here, version)).map((name) => [version, name] as const));

const runOf = (folder: string): RunId => (readdirSync(join(folder, 'runs'))[0] ?? '') as RunId;

const replay = (folder: string, turn = nextTurn) =>
  replayRun({ calls: fileCalls, folder }, runOf(folder), {
    clock: wallClock, random: () => 0.5, newId: () => '0', files: null, processes: null, nextTurn: turn,
  });

/** Turns of the event loop that are much shorter or much longer than the work of a step. */
const TURNS = {
  'a microtask': queueMicrotask,
  'a tick of the process': (work: () => void): void => {
    process.nextTick(work);
  },
  'three turns of the event loop': (work: () => void) => nextTurn(() => nextTurn(() => nextTurn(work))),
};

describe('journals of all versions', () => {
  test.each(kept)('%s %s replays as it was', async (version, name) => {
    verifies('engine.determinism.replay');
    const replayed = await replay(join(here, version, name));
    expect(replayed.kind).toBe('same');
  });

  describe.each(Object.entries(TURNS))('with %s as a turn', (_, turn) => {
    test.each(kept)('%s %s replays as it was', async (version, name) => {
      verifies('engine.determinism.replay');
      expect((await replay(join(here, version, name), turn)).kind).toBe('same');
    });
  });

  test('there are some of every kind, of this version as well', () => {
    expect(readdirSync(join(here, ENGINE_VERSION)).toSorted()).toEqual(Object.keys(SCENES).toSorted());
  });

  test.each(kept)('%s %s, with another signal in it, does not', async (version, name) => {
    const folder = emptyFolder();
    cpSync(join(here, version, name), folder, { recursive: true });
    const file = join(folder, 'runs', runOf(folder), 'journal.jsonl');
    const withoutSeal = (key: string, value: unknown): unknown => (key === 'n' || key === 'crc' ? undefined : value);
    const lines = readFileSync(file, 'utf8').trimEnd().split('\n');
    const entries = lines.map((line) => JSON.parse(line, withoutSeal) as JournalEntry);
    let altered = false;
    let end = chainStart(runOf(folder));
    const text = entries
      .map((changed) => {
        const path = changed.type === 'path' && !altered ? changed : null;
        altered ||= path !== null;
        const line = sealLine(
          path === null ? changed : { ...path, entry: { ...path.entry, action: 'JUMP:Main__Elsewhere' } },
          end,
        );
        end = line.end;
        return line.text;
      })
      .join('');
    writeFileSync(file, text);
    expect((await replay(folder)).kind).toBe('different');
  });
});

test('the version that journals state is that of the package', () => {
  expect(ENGINE_VERSION).toBe(manifest.version);
});

test.each(Object.entries(SCENES))('%s: this version writes the same journal again', async (name, scene) => {
  const folder = emptyFolder();
  await writeJournal(folder, scene);
  const journal = (of: string): string => readFileSync(join(of, 'runs', runOf(of), 'journal.jsonl'), 'utf8');
  expect(journal(folder)).toBe(journal(join(here, ENGINE_VERSION, name)));
});
