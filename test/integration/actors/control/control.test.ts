import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createControlInbox, sendControl } from '#actors/control/index.ts';
import type { ControlInboxParts, OnRequest } from '#actors/control/index.ts';
import { fileCalls } from '#io/files/file-calls.ts';
import type { Clock } from '#protocol/clock.ts';
import type { ControlAnswer, ControlRequest, FolderWatch } from '#protocol/control.ts';
import type { FileCalls } from '#protocol/file-calls.ts';
import type { RunId } from '#protocol/id.ts';
import { failingFileCalls } from '../../../support/failing-file-calls.ts';

let flow = '';
let folder = '';
let reports: string[];
let taken: string[];
let ids = 0;
let watchers: Set<() => void>;
beforeEach(() => {
  flow = fs.mkdtempSync(path.join(os.tmpdir(), 'robosmith-inbox-'));
  folder = path.join(flow, 'control');
  reports = [];
  taken = [];
  watchers = new Set();
});
afterEach(() => fs.rmSync(flow, { recursive: true, force: true }));

const NOW = Date.UTC(2026, 10, 23, 10);

/** A watch that reports a change when the test calls `look`. */
const watch: FolderWatch = {
  watch: (_, onChange) => {
    watchers.add(onChange);
    return () => void watchers.delete(onChange);
  },
};

/** Notifies all watchers and lets the work that they start finish. */
async function look(): Promise<void> {
  for (const each of [...watchers]) each();
  await new Promise((resolve) => setImmediate(resolve));
}

const agree: OnRequest = ({ id }) => {
  taken.push(id);
  return { accepted: true, message: `did ${id}` };
};

const newId = (): string => `id${(ids += 1)}`;

const open = (onRequest: OnRequest = agree, more: Partial<ControlInboxParts> = {}) =>
  createControlInbox(
    {
      calls: fileCalls,
      folder: flow,
      watch,
      newId,
      now: () => NOW,
      report: (message) => reports.push(message),
      ...more,
    },
    onRequest,
  );

const request = (id: string, more: object = {}): ControlRequest => ({
  id,
  run: 'r1' as RunId,
  verb: 'stop',
  at: NOW,
  by: 'me',
  ...more,
});

const names = (): readonly string[] => fs.readdirSync(folder).sort();
const put = (name: string, content: unknown): void =>
  fs.writeFileSync(path.join(folder, name), typeof content === 'string' ? content : JSON.stringify(content));
const answerTo = (id: string): unknown => JSON.parse(fs.readFileSync(path.join(folder, `${id}.done.json`), 'utf8'));
const age = (name: string, seconds: number): void =>
  fs.utimesSync(path.join(folder, name), NOW / 1000 - seconds, NOW / 1000 - seconds);

describe('the inbox', () => {
  test('takes a request, and leaves its answer', async () => {
    const got: ControlRequest[] = [];
    open((one) => {
      got.push(one);
      return { accepted: false, message: 'not now' };
    });
    put('a.json', request('a', { verb: 'cancel', extra: 1 }));
    await look();
    expect(got).toEqual([request('a', { verb: 'cancel' })]);
    expect(names()).toEqual(['a.done.json']);
    expect(answerTo('a')).toEqual({ accepted: false, message: 'not now' });
    await look();
    expect(got).toHaveLength(1);
  });

  test('takes the oldest first', async () => {
    open();
    put('c.json', request('c', { at: NOW - 2 }));
    put('b.json', request('b'));
    put('a.json', request('a'));
    put('d.json', request('d', { at: NOW - 1 }));
    await look();
    expect(taken).toEqual(['c', 'd', 'a', 'b']);
  });

  test('takes the next one while the answer to the first is still open', async () => {
    const first = Promise.withResolvers<ControlAnswer>();
    open(({ id }) => (id === 'a' ? first.promise : { accepted: true, message: id }));
    put('a.json', request('a'));
    put('b.json', request('b'));
    await look();
    expect(names()).toEqual(['b.done.json']);
    first.resolve({ accepted: true, message: 'at last' });
    await look();
    expect(answerTo('a')).toEqual({ accepted: true, message: 'at last' });
  });

  test.each<[string, OnRequest]>([
    [
      'throws',
      () => {
        throw new Error('broken');
      },
    ],
    ['rejects', () => Promise.reject(new Error('broken'))],
  ])('answers for an owner that %s', async (_, onRequest) => {
    open(onRequest);
    put('a.json', request('a'));
    await look();
    expect(answerTo('a')).toEqual({ accepted: false, message: 'broken' });
  });

  test('obeys nobody who asked ten minutes ago', async () => {
    open();
    put('a.json', request('a', { at: NOW - 600_001 }));
    put('b.json', request('b', { at: NOW - 600_000 }));
    await look();
    expect(taken).toEqual(['b']);
    expect(answerTo('a')).toEqual({ accepted: false, message: 'the request is too old: repeat the command' });
  });

  test('is deaf after it was stopped', async () => {
    open().stop();
    put('a.json', request('a'));
    await look();
    expect(names()).toEqual(['a.json']);
  });

  const long = { ...request('x'), by: 'y'.repeat(65_536) };
  test.each<[string, unknown]>([
    ['x.json', ''],
    ['x.json', '{"id":"x"'],
    ['x.json', []],
    ['x.json', null],
    ['x.json', request('y')],
    ['x.json', request('x', { verb: 'explode' })],
    ['x.json', request('x', { run: 7 })],
    ['x.json', request('x', { at: 'now' })],
    ['x.json', request('x', { by: null })],
    ['x.json', long],
    ['.json', request('')],
    ['x', request('x')],
    ['a b.json', request('a b')],
    ['a.b.json', request('a.b')],
  ])('removes and reports what is no request: %j', async (name, content) => {
    open();
    put(name, content);
    put('good.json', request('good'));
    await look();
    expect(taken).toEqual(['good']);
    expect(reports).toEqual([`.flow/control/${name} is not a control request and was removed`]);
    expect(names()).toEqual(['good.done.json']);
  });

  test('reports a folder among the requests once, and leaves it', async () => {
    open();
    fs.mkdirSync(path.join(folder, 'x.json'));
    await look();
    await look();
    expect(reports).toHaveLength(1);
    expect(reports[0]).toMatch(/^\.flow\/control\/x\.json can't be removed: /);
    expect(names()).toEqual(['x.json']);
  });

  test('leaves what others are about to write or to read, and removes what they left', async () => {
    fs.mkdirSync(folder);
    for (const name of ['old.done.json', 'old.json.1.tmp', 'new.done.json', 'new.json.1.tmp']) {
      put(name, '{}');
      age(name, name.startsWith('old') ? 3_601 : 3_599);
    }
    open();
    await look();
    expect(names()).toEqual(['new.done.json', 'new.json.1.tmp']);
    expect(reports).toEqual([]);
  });

  test('is not disturbed when the folder goes away', async () => {
    open();
    fs.rmSync(folder, { recursive: true });
    await look();
    fs.mkdirSync(folder);
    put('a.json', request('a'));
    await look();
    expect(taken).toEqual(['a']);
    expect(reports).toEqual([]);
  });

  const troubled = (name: 'list' | 'read' | 'remove', isBroken: () => boolean): FileCalls => ({
    ...fileCalls,
    [name]: (file: string) => {
      if (isBroken() && !file.endsWith('.tmp')) throw Object.assign(new Error('EACCES: no'), { code: 'EACCES' });
      return fileCalls[name](file);
    },
  });

  test('takes once what it can take but not remove', async () => {
    let isBroken = true;
    open(agree, { calls: troubled('remove', () => isBroken) });
    put('a.json', request('a'));
    await look();
    await look();
    expect(taken).toEqual(['a']);
    expect(reports).toEqual([".flow/control/a.json can't be removed: EACCES: no"]);
    expect(names()).toEqual(['a.done.json', 'a.json']);
    isBroken = false;
    await look();
    expect(taken).toEqual(['a']);
    expect(names()).toEqual(['a.done.json']);
  });

  test.each([
    ['list', ".flow/control can't be read: EACCES: no"],
    ['read', ".flow/control/a.json can't be read: EACCES: no"],
  ] as const)('waits, and says once, when it may not %s', async (name, report) => {
    let isBroken = false;
    open(agree, { calls: troubled(name, () => isBroken) });
    put('a.json', request('a'));
    isBroken = true;
    await look();
    await look();
    expect([taken, reports]).toEqual([[], [report]]);
    isBroken = false;
    await look();
    expect(taken).toEqual(['a']);
  });

  test('whatever call fails, it goes on, and nothing is taken twice', async () => {
    for (let at = 2, isSwept = false; !isSwept; at += 1) {
      taken = [];
      const failing = failingFileCalls(fileCalls, { at, code: 'EIO' });
      const { stop } = open(agree, { calls: failing.calls });
      put(`a${at}.json`, request(`a${at}`));
      await look();
      isSwept = failing.made() < at;
      await look();
      expect(taken).toEqual([`a${at}`]);
      stop();
      fs.rmSync(folder, { recursive: true });
    }
  });
});

describe('a client', () => {
  /** Returns a clock whose time does not advance; `over` ends its sleeps. */
  function stillClock(): Clock & { readonly over: () => void } {
    const end = Promise.withResolvers<undefined>();
    return {
      now: () => NOW,
      sleep: (_, signal) => {
        signal.addEventListener('abort', () => end.resolve(undefined));
        return end.promise;
      },
      over: () => end.resolve(undefined),
    };
  }

  const send = (clock: Clock, calls = fileCalls) =>
    sendControl({ calls, folder: flow, watch, newId, clock }, { run: 'r1' as RunId, verb: 'pause', by: 'me' }, 1000);

  test('writes what it asks, and gives the answer as soon as it is there', async () => {
    const answer = send(stillClock());
    const [name] = names();
    const id = name!.replace('.json', '');
    expect(JSON.parse(fs.readFileSync(path.join(folder, name!), 'utf8'))).toEqual(request(id, { verb: 'pause' }));
    await look();
    put(`${id}.done.json`, { accepted: true, message: 'yes' });
    await look();
    expect(await answer).toEqual({ accepted: true, message: 'yes' });
    expect(names()).toEqual([]);
    expect(watchers.size).toBe(0);
  });

  test('takes back what nobody took in time', async () => {
    const clock = stillClock();
    const answer = send(clock);
    expect(names()).toHaveLength(1);
    clock.over();
    expect(await answer).toBe('no_answer');
    expect(names()).toEqual([]);
    expect(watchers.size).toBe(0);
  });

  test('is not obeyed after it has given up', async () => {
    const clock = stillClock();
    open();
    let isOver = false;
    const calls: FileCalls = {
      ...fileCalls,
      read: (file) => {
        try {
          return fileCalls.read(file);
        } finally {
          // The owner reads the request right after the client has checked for an answer for the last time.
          if (isOver) for (const each of [...watchers]) each();
        }
      },
    };
    const answer = send(clock, calls);
    isOver = true;
    clock.over();
    expect(await answer).toBe('no_answer');
    expect(taken).toEqual([]);
  });

  test('takes an answer that came in the last moment', async () => {
    const clock = stillClock();
    const answer = send(clock);
    const id = names()[0]!.replace('.json', '');
    put(`${id}.done.json`, { accepted: false, message: 'late' });
    clock.over();
    expect(await answer).toEqual({ accepted: false, message: 'late' });
    expect(names()).toEqual([]);
  });

  test('waits on when what it finds is no answer', async () => {
    const clock = stillClock();
    const answer = send(clock);
    const id = names()[0]!.replace('.json', '');
    for (const text of ['', '{}', '{"accepted":1,"message":"m"}', '{"accepted":true}']) {
      put(`${id}.done.json`, text);
      await look();
    }
    clock.over();
    expect(await answer).toBe('no_answer');
  });

  test('whatever call fails, it rejects with that, or has its answer; no request stays', async () => {
    const outcomes = new Set<string>();
    for (let at = 1, isSwept = false; !isSwept; at += 1) {
      const { stop } = open();
      const failing = failingFileCalls(fileCalls, { at, code: 'EIO' });
      const clock = stillClock();
      const answer = send(clock, failing.calls).then(
        (given) => (given === 'no_answer' ? given : 'answer'),
        (thrown: unknown) => (thrown as { readonly code?: string }).code,
      );
      await look();
      await look();
      clock.over();
      outcomes.add(String(await answer));
      isSwept = failing.made() < at;
      expect(names().filter((name) => /^[^.]+\.json$/.test(name))).toEqual([]);
      stop();
    }
    expect(outcomes).toEqual(new Set(['EIO', 'answer']));
  });
});
