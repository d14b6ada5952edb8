import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createIntentLock } from '#actors/engine-lock/index.ts';
import type { Dispatch, IntentLock, IntentLockParts } from '#actors/engine-lock/index.ts';
import { fileCalls } from '#io/files/file-calls.ts';
import type { FileCalls } from '#protocol/file-calls.ts';
import type { NodeId, RunId } from '#protocol/id.ts';
import { failingFileCalls } from '../../../support/failing-file-calls.ts';
import { verifies } from '../../../e2e/verifies.ts';

let folder = '';
let file = '';
let warnings: string[];
let ids = 0;
beforeEach(() => {
  folder = fs.mkdtempSync(path.join(os.tmpdir(), 'robosmith-intents-'));
  file = path.join(folder, 'intent.lock');
  warnings = [];
});
afterEach(() => fs.rmSync(folder, { recursive: true, force: true }));

/** Opens the intent lock as an engine does when it starts. */
const open = (pid: number, more: Partial<IntentLockParts> = {}): IntentLock =>
  createIntentLock({
    calls: fileCalls,
    folder,
    self: { pid, started: `boot/${pid}`, host: 'here' },
    now: () => pid * 1000,
    newId: () => `id${(ids += 1)}`,
    warn: (message) => warnings.push(message),
    ...more,
  });

const aRun = (run: string): Dispatch & { readonly kind: 'run' } => ({
  kind: 'run',
  run: run as RunId,
  node: `Node${run}` as NodeId,
});
const aTask = (task_id: string): Dispatch & { readonly kind: 'task' } => ({ kind: 'task', task_id });

const kept = (): unknown => JSON.parse(fs.readFileSync(file, 'utf8'));
const intent = (run: string, attempt_n: number, pid: number) => ({
  run,
  node: `Node${run}`,
  attempt_n,
  since: pid * 1000,
  pid,
  started: `boot/${pid}`,
  host: 'here',
});

describe('the intent lock', () => {
  test('has what is dispatched, with its attempt, before it is', () => {
    verifies('engine.lock.intent');
    const lock = open(1);
    expect(fs.existsSync(file)).toBe(false);
    expect(lock.begin(aRun('r1'))).toBe(1);
    expect(lock.begin(aTask('2.1'))).toBe(1);
    expect(kept()).toEqual({ version: 1, runs: [intent('r1', 1, 1)], tasks: [{ task_id: '2.1', attempt_n: 1 }] });
    expect(lock.pending()).toEqual({ runs: [], tasks: [] });
    lock.end({ kind: 'run', run: 'r1' as RunId });
    lock.end(aTask('2.1'));
    expect(kept()).toEqual({ version: 1, runs: [], tasks: [] });
  });

  test('knows after a crash what was going on, and counts its attempts on', () => {
    const first = open(1);
    first.begin(aRun('r1'));
    first.begin(aRun('r2'));
    first.begin(aTask('2'));
    first.end(aRun('r2'));

    const second = open(2);
    expect(second.pending()).toEqual({ runs: [intent('r1', 1, 1)], tasks: [{ task_id: '2', attempt_n: 1 }] });
    expect(second.begin(aTask('2'))).toBe(2);
    expect(second.pending()).toEqual({ runs: [intent('r1', 1, 1)], tasks: [] });

    const third = open(3);
    expect(third.pending()).toEqual({ runs: [intent('r1', 1, 1)], tasks: [{ task_id: '2', attempt_n: 2 }] });
    expect(third.begin(aRun('r1'))).toBe(2);
    third.end(aTask('2'));
    expect(third.pending()).toEqual({ runs: [], tasks: [] });
    expect(kept()).toEqual({ version: 1, runs: [intent('r1', 2, 3)], tasks: [] });
  });

  test('counts from one again after an end: only crashes add up', () => {
    const lock = open(1);
    for (let n = 0; n < 5; n += 1) {
      expect(lock.begin(aTask('1'))).toBe(1);
      lock.end(aTask('1'));
    }
  });

  test('tells a run from a task of the same name', () => {
    const lock = open(1);
    lock.begin(aRun('x'));
    lock.begin(aTask('x'));
    lock.end(aTask('x'));
    expect(kept()).toEqual({ version: 1, runs: [intent('x', 1, 1)], tasks: [] });
  });

  test('writes nothing when what ends was not begun', () => {
    open(1).end(aTask('1'));
    expect(fs.readdirSync(folder)).toEqual([]);
  });

  test('has not begun what could not be written', () => {
    open(1).begin(aTask('1'));
    for (let at = 1, isSwept = false; !isSwept; at += 1) {
      const before = fs.readFileSync(file, 'utf8');
      const failing = failingFileCalls(fileCalls, { at: at + 1, code: 'ENOSPC' });
      const lock = open(2, { calls: failing.calls });
      let attempt: number | null = null;
      try {
        attempt = lock.begin(aTask('1'));
      } catch (thrown) {
        expect(thrown).toMatchObject({ code: 'ENOSPC' });
        expect(lock.pending().tasks).toEqual([{ task_id: '1', attempt_n: 1 }]);
      }
      isSwept = failing.made() <= at;
      // The only call after the rename is the sync of the folder, so the file holds either the old or the new state.
      const now = fs.readFileSync(file, 'utf8');
      if (attempt === null) expect([before, before.replace('"attempt_n": 1', '"attempt_n": 2')]).toContain(now);
      else expect(attempt).toBe(2);
      expect(fs.readdirSync(folder)).toEqual(['intent.lock']);
      fs.writeFileSync(file, before);
    }
  });
});

describe('runs that end in one turn', () => {
  /** Opens a lock whose turns end when the test says so, on a disk that can be made full. */
  const inTurns = () => {
    const turns: (() => void)[] = [];
    let isFull = false;
    let writes = 0;
    const calls: FileCalls = {
      ...fileCalls,
      rename: (from, to) => {
        if (isFull) throw new Error('ENOSPC: rename');
        writes += 1;
        fileCalls.rename(from, to);
      },
    };
    const lock = open(1, { calls, nextTurn: (work) => turns.push(work) });
    for (const run of ['r1', 'r2', 'r3']) lock.begin(aRun(run));
    writes = 0;
    return {
      lock,
      passTurn: () => turns.splice(0).forEach((work) => work()),
      setFull: (value: boolean) => (isFull = value),
      writes: () => writes,
    };
  };

  test('are removed with one write; a dispatch before it writes at once', () => {
    const { lock, passTurn, writes } = inTurns();
    lock.end(aRun('r1'));
    lock.end(aRun('r2'));
    expect([writes(), open(2).pending().runs.length]).toEqual([0, 3]);
    passTurn();
    expect([writes(), kept()]).toEqual([1, { version: 1, runs: [intent('r3', 1, 1)], tasks: [] }]);
    lock.end(aRun('r3'));
    expect(lock.begin(aRun('r3'))).toBe(1);
    expect([writes(), kept()]).toEqual([2, { version: 1, runs: [intent('r3', 1, 1)], tasks: [] }]);
    passTurn();
    expect(writes()).toBe(2);
  });

  test('are removed when the engine closes, and with the next write after one that failed', () => {
    const { lock, passTurn, setFull } = inTurns();
    lock.end(aRun('r1'));
    lock.flush();
    expect(kept()).toEqual({ version: 1, runs: [intent('r2', 1, 1), intent('r3', 1, 1)], tasks: [] });
    lock.end(aRun('r2'));
    setFull(true);
    passTurn();
    expect(warnings).toEqual(['ENOSPC: rename']);
    setFull(false);
    lock.end(aRun('r3'));
    passTurn();
    expect(kept()).toEqual({ version: 1, runs: [], tasks: [] });
  });
});

describe('a damaged intent lock', () => {
  const whole = { version: 1, runs: [intent('r1', 1, 1)], tasks: [{ task_id: '2', attempt_n: 1 }] };
  const damages: readonly string[] = [
    ...['', '{', 'null', '[]', '{}', '{"version":1}', JSON.stringify(whole).slice(0, -2)],
    ...[{ version: 2 }, { runs: {} }, { tasks: [null] }, { tasks: ['2'] }, { runs: undefined }].map((change) =>
      JSON.stringify({ ...whole, ...change }),
    ),
    ...[{ attempt_n: 0 }, { attempt_n: '1' }, { pid: -1 }, { run: 7 }, { node: null }, { since: 'now' }].map((change) =>
      JSON.stringify({ ...whole, runs: [...whole.runs, { ...whole.runs[0], ...change }] }),
    ),
    ...[{ attempt_n: 1.5 }, { task_id: 7 }].map((change) =>
      JSON.stringify({ ...whole, tasks: [{ ...whole.tasks[0], ...change }] }),
    ),
  ];

  test.each(damages)('%j is kept aside, and a new one begun', (text) => {
    fs.writeFileSync(file, text);
    const lock = open(1);
    expect(lock.pending()).toEqual({ runs: [], tasks: [] });
    expect(warnings).toEqual([
      '.flow/intent.lock was damaged and has been renamed to .flow/intent.lock.damaged-1. The crash counts of runs and tasks start again at 0',
    ]);
    expect(fs.readFileSync(`${file}.damaged-1`, 'utf8')).toBe(text);
    expect(lock.begin(aTask('2'))).toBe(1);
    expect(fs.readdirSync(folder)).toEqual(['intent.lock', 'intent.lock.damaged-1']);
  });

  test('the undamaged one is none', () => {
    fs.writeFileSync(file, JSON.stringify(whole));
    expect(open(1).pending()).toEqual({ runs: whole.runs, tasks: whole.tasks });
    expect(warnings).toEqual([]);
  });

  test('takes no name that is taken', () => {
    fs.writeFileSync(`${file}.damaged-9`, 'nine');
    fs.writeFileSync(file, 'ten');
    open(1);
    expect(fs.readFileSync(`${file}.damaged-9`, 'utf8')).toBe('nine');
    expect(fs.readFileSync(`${file}.damaged-10`, 'utf8')).toBe('ten');
  });
});

type Move = readonly ['begin' | 'end' | 'crash', 'run' | 'task', string];

test('engines that come, work and crash in any order lose no count', () => {
  const move: fc.Arbitrary<Move> = fc.tuple(
    fc.constantFrom('begin', 'begin', 'end', 'crash'),
    fc.constantFrom('run', 'task'),
    fc.constantFrom('a', 'b', '__proto__'),
  );
  const holds = fc.property(fc.array(move, { maxLength: 30 }), (moves) => {
    fs.rmSync(file, { force: true });
    const counts = new Map<string, number>();
    let pending = new Set<string>();
    let lock = open(1);
    for (const [verb, kind, name] of moves) {
      const key = `${kind} ${name}`;
      const dispatch = kind === 'run' ? aRun(name) : aTask(name);
      if (verb === 'crash') {
        lock = open(1);
        pending = new Set(counts.keys());
      } else if (verb === 'begin') {
        expect(lock.begin(dispatch)).toBe((counts.get(key) ?? 0) + 1);
        counts.set(key, (counts.get(key) ?? 0) + 1);
        pending.delete(key);
      } else {
        lock.end(dispatch);
        counts.delete(key);
        pending.delete(key);
      }
      const { runs, tasks } = lock.pending();
      const found = [...runs.map(({ run }) => `run ${run}`), ...tasks.map(({ task_id }) => `task ${task_id}`)];
      expect(new Set(found)).toEqual(pending);
    }
  });
  fc.assert(holds, { numRuns: 40 });
});
