import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { acquireEngineLock } from '#actors/engine-lock/index.ts';
import type { EngineLock, EngineLockParts } from '#actors/engine-lock/index.ts';
import { fileCalls } from '#io/files/file-calls.ts';
import { RoboSmithError } from '#protocol/error.ts';
import type { FileCalls } from '#protocol/file-calls.ts';
import type { ProcessIdentity } from '#protocol/process-identity.ts';
import { failingFileCalls } from '../../../support/failing-file-calls.ts';
import { verifies } from '../../../e2e/verifies.ts';

let folder = '';
let place = '';
let dead: Set<number>;
let ids = 0;
beforeEach(() => {
  folder = path.join(fs.mkdtempSync(path.join(os.tmpdir(), 'robosmith-lock-')), '.flow');
  place = path.join(folder, 'engine.lock');
  fs.mkdirSync(folder);
  dead = new Set();
});
afterEach(() => fs.rmSync(path.dirname(folder), { recursive: true, force: true }));

const NOW = Date.UTC(2026, 10, 23, 10);
const who = (pid: number): ProcessIdentity => ({ pid, started: `boot/${pid}`, host: 'here' });

const partsOf = (pid: number, more: Partial<EngineLockParts> = {}): EngineLockParts => ({
  calls: fileCalls,
  folder,
  socket: `/run/${pid}`,
  now: () => NOW,
  newId: () => `id${(ids += 1)}`,
  liveness: {
    self: who(pid),
    isAlive: ({ pid: other, host }) => (host !== 'here' ? 'unknown' : dead.has(other) ? 'dead' : 'alive'),
  },
  ...more,
});

const acquire = (pid: number, more?: Partial<EngineLockParts>): EngineLock => acquireEngineLock(partsOf(pid, more));

/** Acquires the lock, which must not be held. */
function own(pid: number, more?: Partial<EngineLockParts>): EngineLock & { readonly ok: true } {
  const lock = acquire(pid, more);
  if (!lock.ok) throw new Error(`${lock.owner.pid} has it`);
  return lock;
}

const names = (): readonly string[] => fs.readdirSync(place).sort();
const json = (name: string): unknown => JSON.parse(fs.readFileSync(path.join(place, name), 'utf8'));

/** Writes a file that is `age` seconds old. The lock treats old files as damaged or abandoned. */
function write(file: string, text: string, age: number): void {
  fs.writeFileSync(file, text);
  fs.utimesSync(file, NOW / 1000 - age, NOW / 1000 - age);
}

const thrownBy = (call: () => unknown): unknown => {
  try {
    call();
    return null;
  } catch (thrown) {
    return thrown;
  }
};

describe('the engine lock', () => {
  test('says who owns it, since when, and where it can be talked to', () => {
    expect(own(1)).toMatchObject({ ok: true, generation: 1, tookOver: null });
    expect(json('1.json')).toEqual({
      version: 1,
      id: 'id1',
      pid: 1,
      started: 'boot/1',
      host: 'here',
      socket: '/run/1',
      since: NOW,
    });
    expect(acquire(2)).toEqual({
      ok: false,
      why: 'alive',
      owner: { ...who(1), id: 'id1', socket: '/run/1', since: NOW },
    });
    expect(names()).toEqual(['1.json']);
  });

  test('is not given twice to one process either', () => {
    own(1);
    expect(acquire(1)).toMatchObject({ ok: false, why: 'alive', owner: who(1) });
  });

  test('goes on to the next one when it is released, with a higher number', () => {
    own(1).release();
    expect(json('1.json')).toMatchObject({ pid: 1, released: true });
    expect(own(2)).toMatchObject({ generation: 2, tookOver: null });
    expect(names()).toEqual(['2.json', 'past.json']);
    expect(json('past.json')).toEqual({ version: 1, below: 2 });
  });

  test('of a dead process is taken over', () => {
    verifies('engine.lock.owner');
    own(1);
    dead.add(1);
    expect(own(2)).toMatchObject({ generation: 2, tookOver: who(1) });
    expect(acquire(3)).toMatchObject({ ok: false, owner: who(2) });
  });

  test('of a process on another machine is respected', () => {
    own(1, { liveness: { self: { ...who(1), host: 'there' }, isAlive: () => 'alive' } });
    expect(acquire(2)).toMatchObject({ ok: false, why: 'other_host', owner: { pid: 1, host: 'there' } });
  });

  test('is released once: later calls do nothing to the next owner', () => {
    const first = own(1);
    first.release();
    const second = own(2);
    first.release();
    expect(acquire(3)).toMatchObject({ ok: false, owner: who(2) });
    second.release();
    second.release();
    expect(own(3).generation).toBe(3);
  });

  test('stays with the process that has it when another one gives up what somebody removed by hand', () => {
    const first = own(1);
    fs.rmSync(place, { recursive: true });
    expect(own(2).generation).toBe(1);
    first.release();
    expect(acquire(3)).toMatchObject({ ok: false, owner: who(2) });
  });

  test('goes on at a higher number where only the claim was removed by hand', () => {
    own(1).release();
    own(2).release();
    fs.rmSync(path.join(place, '2.json'));
    expect(own(3)).toMatchObject({ generation: 3, tookOver: null });
    expect(acquire(4)).toMatchObject({ ok: false, owner: who(3) });
  });

  test('tidies what dead processes left, and nothing that may be in use', () => {
    own(1).release();
    for (const name of ['1.json', '7.json', 'past.json']) {
      write(path.join(place, `${name}.old.tmp`), '', 3_601);
      write(path.join(place, `${name}.new.tmp`), '', 3_599);
    }
    write(path.join(place, 'notes.txt'), 'mine', 9_999);
    own(2);
    expect(names()).toEqual([
      ...['1.json.new.tmp', '2.json', '7.json.new.tmp', 'notes.txt', 'past.json', 'past.json.new.tmp'],
    ]);
  });

  test('is lost with its folder, to another claim in its place, and with the project that is moved', () => {
    const lock = own(1);
    expect(lock.isHeld()).toBe(true);
    fs.rmSync(place, { recursive: true });
    expect(lock.isHeld()).toBe(false);
    const next = own(2);
    expect([lock.isHeld(), next.isHeld()]).toEqual([false, true]);
    const moved = `${path.dirname(folder)}-moved`;
    fs.renameSync(path.dirname(folder), moved);
    expect(next.isHeld()).toBe(false);
    fs.renameSync(moved, path.dirname(folder));
    expect(next.isHeld()).toBe(true);
    next.release();
    expect(next.isHeld()).toBe(true);
  });

  test('is not lost because its file can not be read for a moment', () => {
    let isBroken = false;
    const read: FileCalls['read'] = (file) => {
      if (isBroken) throw Object.assign(new Error('too many open files'), { code: 'EMFILE' });
      return fileCalls.read(file);
    };
    const lock = own(1, { calls: { ...fileCalls, read } });
    isBroken = true;
    expect(lock.isHeld()).toBe(true);
  });
});

describe('a claim that nobody can read', () => {
  test.each(['', '{', '[]', 'null', '{"pid":"1"}', '{"pid":1,"started":null,"host":"here"}'])(
    '%j counts as damaged after a minute, not before',
    (text) => {
      own(1).release();
      const file = path.join(place, '2.json');
      write(file, text, 60);
      const refusal = thrownBy(() => acquire(2));
      expect(RoboSmithError.is(refusal, 'io')).toBe(true);
      expect((refusal as RoboSmithError).data).toEqual({ path: file });
      write(file, text, 61);
      expect(own(2)).toMatchObject({ generation: 3, tookOver: null });
    },
  );

  test('from the far future counts as damaged too', () => {
    own(1).release();
    write(path.join(place, '2.json'), '', -61);
    expect(own(2).generation).toBe(3);
  });

  test.each([
    ['999999999999999.json', 'x'],
    ['1000000000000.json', 'x'],
    ['past.json', '{"version":1,"below":9007199254740991}'],
  ])('%s with a number that no engine can have had is told, and given to nobody', (name, text) => {
    own(1).release();
    write(path.join(place, name), text, 61);
    for (const pid of [2, 3]) {
      const refusal = thrownBy(() => acquire(pid));
      expect(refusal).toMatchObject({ message: expect.stringContaining('Remove this folder') as string });
      expect((refusal as RoboSmithError).data).toEqual({ path: place });
    }
    expect(names()).toEqual(['1.json', name].sort());
  });

  test('what is past is counted anew when its file is damaged', () => {
    own(1).release();
    own(2).release();
    for (const text of ['', '{}', '{"below":"3"}', '{"below":1e300}']) {
      fs.writeFileSync(path.join(place, 'past.json'), text);
      own(3).release();
    }
    expect(names()).toEqual(['6.json', 'past.json']);
    expect(json('past.json')).toEqual({ version: 1, below: 6 });
  });
});

describe('a file in the place of the folder', () => {
  const text = (pid: number): string => JSON.stringify({ id: 'x', ...who(pid), socket: null, since: 5 });
  const aside = (): readonly string[] =>
    fs.readdirSync(folder).filter((name) => /^engine\.lock\.older-id\d+$/.test(name));

  test('is respected while its process lives', () => {
    write(place, text(1), 0);
    expect(acquire(2)).toEqual({ ok: false, why: 'alive', owner: { ...who(1), id: 'x', socket: null, since: 5 } });
    expect(fs.readFileSync(place, 'utf8')).toBe(text(1));
  });

  test('is moved aside when its process is dead', () => {
    write(place, text(1), 0);
    dead.add(1);
    expect(own(2)).toMatchObject({ generation: 1, tookOver: who(1) });
    expect(aside().map((name) => fs.readFileSync(path.join(folder, name), 'utf8'))).toEqual([text(1)]);
    expect(acquire(3)).toMatchObject({ ok: false, owner: who(2) });
  });

  test('is moved aside when it says nothing, a minute after it was written', () => {
    write(place, 'my notes', 59);
    expect(
      RoboSmithError.is(
        thrownBy(() => acquire(2)),
        'io',
      ),
    ).toBe(true);
    write(place, 'my notes', 61);
    expect(own(2).generation).toBe(1);
    expect(aside()).toHaveLength(1);
  });

  test.each(['link', 'remove'] as const)('is not taken for the folder of an owner that came before our %s', (name) => {
    write(place, text(1), 0);
    dead.add(1);
    let hasCome = false;
    const calls: FileCalls = {
      ...fileCalls,
      [name]: (first: string, second: string) => {
        if (!hasCome) {
          hasCome = true;
          own(2);
        }
        fileCalls[name](first, second);
      },
    };
    expect(acquire(3, { calls })).toMatchObject({ ok: false, owner: who(2) });
    expect(names()).toEqual(['1.json']);
  });
});

describe('trouble with the disk', () => {
  /** Returns file calls in which the named call takes effect but reports a failure with this code. */
  const lying = (name: 'link' | 'syncFolder', code: string): FileCalls => ({
    ...fileCalls,
    [name]: (first: string, second: string) => {
      fileCalls[name](first, second);
      throw Object.assign(new Error(code), { code });
    },
  });

  test('a claim that was made though the disk denies it is found again', () => {
    expect(own(1, { calls: lying('link', 'EEXIST') })).toMatchObject({ generation: 1 });
    expect(acquire(2)).toMatchObject({ ok: false, owner: who(1) });
  });

  test.each(['link', 'syncFolder'] as const)('a claim that was made before %s failed is given back', (name) => {
    expect(thrownBy(() => acquire(1, { calls: lying(name, 'EIO') }))).toMatchObject({ code: 'EIO' });
    expect(own(2).generation).toBe(2);
  });

  test('who always comes too late says so', () => {
    const calls: FileCalls = {
      ...fileCalls,
      link: () => {
        throw Object.assign(new Error('taken'), { code: 'EEXIST' });
      },
    };
    const refusal = thrownBy(() => acquire(1, { calls }));
    expect(RoboSmithError.is(refusal, 'io')).toBe(true);
    expect((refusal as RoboSmithError).data).toEqual({ path: place });
    expect(names()).toEqual([]);
  });

  test('a release that fails can be tried again', () => {
    const { calls } = failingFileCalls(fileCalls, { at: Number.MAX_SAFE_INTEGER, code: 'EIO' });
    let isFull = false;
    const full: FileCalls = {
      ...calls,
      open: (file, flags) => {
        if (isFull) throw Object.assign(new Error('full'), { code: 'ENOSPC' });
        return calls.open(file, flags);
      },
    };
    const lock = own(1, { calls: full });
    isFull = true;
    expect(thrownBy(() => lock.release())).toMatchObject({ code: 'ENOSPC' });
    expect(acquire(2)).toMatchObject({ ok: false, owner: who(1) });
    isFull = false;
    lock.release();
    expect(own(2).generation).toBe(2);
  });

  /** The initial states: nothing, the claim of a dead owner, or a dead owner's file in place of the folder. */
  const STARTS: Readonly<Record<string, () => void>> = {
    nothing: () => undefined,
    'a dead owner': () => {
      own(8).release();
      own(9);
      dead.add(9);
    },
    "a dead owner's file": () => {
      write(place, JSON.stringify({ id: 'x', ...who(9), socket: null, since: 5 }), 0);
      dead.add(9);
    },
  };

  const sweep = Object.keys(STARTS).flatMap((start) =>
    [false, true].flatMap((lasting) => ['EIO', 'ENOENT', 'EEXIST'].map((code) => ({ start, lasting, code }))),
  );

  test.each(sweep)(
    'after $start, $code (lasting: $lasting) at any call: an error or an owner',
    ({ start, lasting, code }) => {
      const outcomes = new Set<string>();
      for (let at = 1, isSwept = false; !isSwept; at += 1) {
        fs.rmSync(folder, { recursive: true });
        fs.mkdirSync(folder);
        dead.clear();
        STARTS[start]!();
        const failing = failingFileCalls(fileCalls, { at, code, lasting });
        let first: EngineLock | null = null;
        const thrown = thrownBy(() => (first = acquire(1, { calls: failing.calls })));
        const mine = first as EngineLock | null;
        isSwept = failing.made() < at;
        // EEXIST is possible as well: if a file is reported as missing, the lock creates the folder again, which fails.
        const codes = [code, 'io', 'EEXIST'];
        if (mine === null) expect(codes).toContain((thrown as { readonly code?: unknown }).code);
        const second = thrown === null || lasting ? acquire(2) : own(2);
        outcomes.add(`${mine === null ? 'error' : String(mine.ok)}, then ${String(second.ok)}`);
        // If a file call fails permanently, the first process's claim file may remain until the process dies, but the
        // process never reports that it owns the lock.
        if (mine?.ok === true) expect(second).toMatchObject({ ok: false, owner: who(1) });
        else if (!second.ok) expect(second.owner).toMatchObject(who(1));
        if (!second.ok) {
          dead.add(1);
          expect(own(2).ok).toBe(true);
        }
      }
      expect([...outcomes]).toContain('true, then false');
      expect([...outcomes].some((one) => one.startsWith('error'))).toBe(true);
    },
  );
});
