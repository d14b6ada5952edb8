import { existsSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { cleaningMethods } from '#host/server/cleaning-methods.ts';
import type { Leftovers } from '#protocol/host.ts';
import { serveBench, type ServedBench } from '../engine/sessions/serve-bench.ts';
import { newSessionBench, type SessionBench } from '../engine/sessions/session-bench.ts';
import { hand, writes } from '../engine/sessions/session-rows.ts';

let bench: SessionBench;
let served: ServedBench | null = null;
beforeEach(async () => {
  bench = await newSessionBench();
});
afterEach(async () => {
  await served?.end();
  served = null;
  await bench.end();
});

/** Creates two worktrees that no session has: one holds nothing of its own, the other a file. */
async function leftBehind() {
  const { repository } = bench;
  const session = await bench.session('stays');
  const place = path.dirname(session.worktree);
  const [empty, full] = [path.join(place, 'empty-s0000aaaa'), path.join(place, 'full-s0000bbbb')];
  repository.git(['worktree', 'add', '--quiet', '-b', 'robosmith/empty', empty]);
  repository.git(['worktree', 'add', '--quiet', '-b', 'robosmith/full', full]);
  writeFileSync(path.join(full, 'work.txt'), 'only here\n');
  served = await serveBench(bench);
  return { client: await served.connect(), session, empty, full };
}

test('leftovers are listed with the sizes of their folders, and why they can go or stay', async () => {
  const { client, empty, full } = await leftBehind();
  const { goes, stays } = await client.call('leftovers.list', {});
  expect(goes).toEqual([
    {
      what: 'worktree',
      name: empty,
      message: 'it belongs to no session, and it holds no work of its own; its branch "robosmith/empty" is removed too',
      size: { bytes: expect.any(Number) as number, isWhole: true },
    },
  ]);
  expect(goes[0]?.size?.bytes).toBeGreaterThan(0);
  expect(stays.map(({ what, name }) => [what, name])).toEqual([['worktree', full]]);
  expect(stays[0]?.message).toContain('work.txt');
});

test('what is removed was chosen and holds nothing; a chosen leftover that holds work stays, with the reason', async () => {
  const { client, session, empty, full } = await leftBehind();
  const items = [empty, full, session.worktree].map((name) => ({ what: 'worktree' as const, name }));
  const { gone, stays } = await client.call('leftovers.remove', { items });
  expect(gone.map(({ name }) => name)).toEqual([empty]);
  expect(stays.find(({ name }) => name === full)?.message).toContain('work.txt');
  expect([empty, full, session.worktree].map((folder) => existsSync(folder))).toEqual([false, true, true]);
  expect(await client.call('leftovers.list', {})).toMatchObject({ goes: [] });
});

test('without a choice nothing is removed, and a wrong one is refused', async () => {
  const { client, empty } = await leftBehind();
  expect((await client.call('leftovers.remove', { items: [] })).gone).toEqual([]);
  expect(existsSync(empty)).toBe(true);
  const wrong = client.call('leftovers.remove', { items: [{ what: 'folder' as never, name: empty }] });
  await expect(wrong).rejects.toMatchObject({ code: 'usage' });
});

test('runs that ended long ago are offered as one entry, and removed with their snapshots if it is chosen', async () => {
  const { repository, engine, sessions } = bench;
  const session = await bench.session('old');
  await bench.run(session, { A: writes(session.worktree, 'a.txt', 'A\n'), B: hand(() => undefined) });
  const DAYS_31 = 31 * 86_400_000;
  const partsAt = (now: () => number) => ({
    root: repository.root,
    engine,
    sessions: () => Promise.resolve(sessions),
    mayBegin: () => undefined,
    now,
  });
  const caller = { isLocal: true, notify: () => Promise.resolve(), onGone: () => undefined };
  const runsIn = ({ goes }: Leftovers) => goes.filter(({ what }) => what === 'runs');
  const today = cleaningMethods(partsAt(() => Date.now()));
  expect(runsIn(await today['leftovers.list']({}, caller))).toEqual([]);
  const later = cleaningMethods(partsAt(() => Date.now() + DAYS_31));
  const [old] = runsIn(await later['leftovers.list']({}, caller));
  expect(old).toMatchObject({
    name: '30d',
    message: '1 run that ended more than 30 days ago, with 0 logged calls of models',
  });
  expect(old?.size?.bytes).toBeGreaterThan(0);
  const snapshots = (): string => repository.git(['for-each-ref', 'refs/robosmith/steps']);
  expect(snapshots()).not.toBe('');
  await later['leftovers.remove']({ items: [] }, caller);
  expect(runsIn(await later['leftovers.list']({}, caller))).toHaveLength(1);
  const { gone } = await later['leftovers.remove']({ items: [{ what: 'runs', name: '30d' }] }, caller);
  expect(gone).toEqual([{ what: 'runs', name: '30d', message: '1 run' }]);
  expect(runsIn(await later['leftovers.list']({}, caller))).toEqual([]);
  expect(snapshots()).toBe('');
  expect(existsSync(path.join(session.worktree, 'a.txt'))).toBe(true);
});
