import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { RoboSmithError } from '#protocol/error.ts';
import type { NodeId, SessionId } from '#protocol/id.ts';
import type { SessionChanges, SessionOrder } from '#protocol/session-api.ts';
import { verifies } from '../../../e2e/verifies.ts';
import { newSessionBench, type SessionBench } from './session-bench.ts';
import { hand, rowOf, workersOf } from './session-rows.ts';

let bench: SessionBench;
beforeEach(async () => {
  bench = await newSessionBench();
});
afterEach(() => bench.end());

const order = (title: string, more: Partial<SessionOrder> = {}): SessionOrder => ({
  title,
  job: null,
  plan: [],
  base: null,
  attach: null,
  priority: null,
  after: [],
  isDraft: true,
  ...more,
});
const draft = async (title: string, more?: Partial<SessionOrder>): Promise<SessionId> =>
  (await bench.sessions.api.create(order(title, more))).id;

/** Returns the error that the call throws or rejects with. */
async function refusal(work: () => unknown): Promise<RoboSmithError> {
  try {
    await work();
  } catch (thrown) {
    if (thrown instanceof RoboSmithError) return thrown;
    throw thrown;
  }
  throw new Error('it was accepted');
}

const JOB = {
  start: { node: 'Main' as NodeId },
  manifest: '/nowhere.json',
  input: null,
  script: null,
  stepMode: false,
};

describe('what sessions wait for', () => {
  const change = (id: SessionId, changes: SessionChanges) => bench.sessions.api.change(id, changes);

  test('two, or three, that would wait for each other are refused with the way around', async () => {
    verifies('worktrees.after.and');
    const [a, b, c] = [await draft('A'), await draft('B'), await draft('C')];
    await change(a, { after: [b] });
    await change(b, { after: [c] });
    const circle = await refusal(() => change(c, { after: [a] }));
    expect(circle.message).toContain(`${c} → ${a} → ${b} → ${c}`);
    // The suggested command removes the only obstacle.
    expect(circle.data['next']).toEqual([`robosmith sessions change ${b} --after none`]);
    expect((await refusal(() => change(a, { after: [a] }))).code).toBe('usage');
    await change(b, { after: [] });
    expect((await change(c, { after: [a] })).after).toEqual([a]);
  });

  test('one whose dependency is discarded is told how to go on', async () => {
    verifies('worktrees.after.discarded');
    const { manager, api } = bench.sessions;
    const before = await draft('Before');
    const after = await draft('After', { after: [before], isDraft: false });
    await api.discard(before, { force: true });
    expect(manager.get(after)).toMatchObject({
      state: 'halted',
      why: expect.stringContaining(`robosmith sessions change ${after} --after none`) as string,
    });
    const late = await refusal(() => draft('Late', { after: [before] }));
    expect([late.code, late.data['next']]).toEqual(['usage', [`robosmith sessions restore ${before}`]]);
    await change(after, { after: [] });
    await api.submit(after);
    await manager.idle();
    expect(manager.get(after).state).toBe('ready');
  });
});

test.each(['', '  ', 'two\nlines', 'x'.repeat(201)])('a title is one line, in a change too: %j', async (title) => {
  const id = await draft('Good');
  for (const work of [() => bench.sessions.api.create(order(title)), () => bench.sessions.api.change(id, { title })])
    expect((await refusal(work)).code).toBe('usage');
  expect(bench.get(id).title).toBe('Good');
});

describe('a plan', () => {
  test('names a file in one way, and a folder as all that is in it', async () => {
    verifies('worktrees.clash.direct');
    const { root } = bench.repository;
    const plan = ['./src//b.txt', 'src/../a.txt', 'src', '.', path.join(root, 'a.txt'), 'src/*.ts', 'new/'];
    const id = await draft('Plan', { plan });
    expect(bench.get(id).plan).toEqual(['src/b.txt', 'a.txt', 'src/', '**', 'src/*.ts', 'new/']);
  });

  test.each(['../outside.txt', 'src/../../x', '/etc/passwd', 'a\0b', '', ' '])(
    'does not lead out of the project: %j',
    async (file) => {
      expect((await refusal(() => draft('Out', { plan: [file] }))).code).toBe('usage');
    },
  );

  test('has no exceptions, and groups and files that begin like one', async () => {
    const why = await refusal(() => draft('But', { plan: ['src/**', '!src/a.txt'] }));
    expect([why.code, why.message]).toEqual(['usage', expect.stringContaining(String.raw`\!src/a.txt`)]);
    const plan = [String.raw`\!a.txt`, '!(a|b).txt'];
    expect(bench.get(await draft('Plan', { plan })).plan).toEqual(plan);
  });

  test('of a folder meets a glob in it', async () => {
    verifies('worktrees.clash.direct');
    mkdirSync(path.join(bench.repository.root, 'lib'));
    const [a, b] = [await draft('A', { plan: ['lib'] }), await draft('B', { plan: ['lib/*.ts'] })];
    expect(bench.sessions.manager.clashes().map(({ sessions }) => sessions)).toEqual([[a, b]]);
  });
});

test('a plan that grows while a run works is compared with all others at once', async () => {
  verifies('workers.update-change-plan', 'worktrees.plan.rescan');
  const other = await draft('Other', { plan: ['src/b.txt'] });
  const session = await bench.session('Grows');
  expect(bench.sessions.manager.clashes()).toEqual([]);
  await bench.run(session, {
    A: {
      sideEffects: 'idempotent',
      execute: async (_memory, { changePlan }) => {
        await changePlan?.add(['src/b.txt']);
        return { signal: 'SIGNAL:SUCCESS' };
      },
    },
  });
  expect(bench.get(session.id).plan).toEqual(['src/b.txt']);
  expect(bench.sessions.manager.clashes()).toEqual([{ sessions: [other, session.id], files: ['src/b.txt'] }]);
});

describe('a session with a worktree', () => {
  test('that is removed from the queue keeps all that can be done with its work', async () => {
    verifies('worktrees.session.machine');
    const { manager, api } = bench.sessions;
    const { id } = await bench.session('Work');
    manager.send(id, { type: 'session.submit' });
    await manager.idle();
    const blocker = await draft('Blocker', { plan: ['x'] });
    await api.change(id, { after: [blocker] });
    await api.resume(id);
    expect(manager.get(id).state).toBe('queued');
    const session = await api.withdraw(id);
    expect([session.state, session.why]).toEqual(['halted', expect.stringContaining(`sessions resume ${id}`)]);
    expect((await api.hold(id, { release: false })).ok).toBe(true);
  });

  test('begins no other job while its run can go on', async () => {
    verifies('worktrees.session.machine');
    const session = await bench.session('Stopped');
    const played = await bench.run(session, { A: hand(() => undefined) }, {}, { stepMode: true });
    expect(played.response.reason).toBe('halted');
    await bench.sessions.api.resume(session.id);
    await bench.sessions.manager.idle();
    expect(bench.get(session.id).state).toBe('ready');
    const why = await refusal(() => bench.sessions.api.rerun(session.id, JOB));
    expect([why.code, why.message]).toEqual(['wrong_state', expect.stringContaining(played.id)]);
  });

  test('whose job is done is ready when it goes on, and does it no second time', async () => {
    verifies('worktrees.hold');
    const { manager, api } = bench.sessions;
    const session = await bench.session('Done');
    manager.change(session.id, { job: JOB });
    let times = 0;
    const played = await bench.run(session, { A: hand(() => void (times += 1)) });
    expect([played.response.reason, manager.get(session.id).isDone]).toEqual([null, true]);
    expect((await api.hold(session.id, { release: false })).session.state).toBe('held');
    manager.change(session.id, { job: null });
    await api.resume(session.id);
    await manager.idle();
    expect([manager.get(session.id).state, manager.get(session.id).runs, times]).toEqual(['ready', [played.id], 1]);
  });

  test('is not updated, pushed, held or merged while it runs', async () => {
    verifies('worktrees.session.machine');
    const { manager, api } = bench.sessions;
    const { id } = await bench.session('Busy');
    manager.send(id, { type: 'run.began' });
    for (const work of [
      () => api.update(id, { abort: false }),
      () => api.push(id),
      () => api.hold(id, { release: false }),
      () => api.merge(id, { strategy: 'squash', message: null, verify: false }),
    ])
      expect((await refusal(work)).code).toBe('wrong_state');
  });

  test('is not merged while its run can go on; cancelled, what it has done is', async () => {
    verifies('worktrees.session.machine');
    const { manager, api } = bench.sessions;
    const session = await bench.session('Gated');
    const run = bench.engine.start(
      rowOf(['A']),
      {
        start: { node: 'Main' as NodeId },
        session: session.id,
        stepMode: true,
        workers: workersOf({ A: hand(() => undefined) }),
      },
      session.worktree,
    );
    await run.settled();
    writeFileSync(path.join(session.worktree, 'made.txt'), 'by hand');
    const merge = () => api.merge(session.id, { strategy: 'squash', message: null, verify: false });
    const why = await refusal(merge);
    expect([why.code, why.message, why.data['next']]).toEqual([
      'wrong_state',
      expect.stringContaining(`is halted: its run ${run.id} can still be resumed`),
      [`robosmith runs cancel ${run.id}`, `robosmith resume ${run.id}`, 'robosmith inbox'],
    ]);
    expect([manager.get(session.id).state, manager.get(session.id).why]).toEqual([
      'halted',
      'its run waits for a person: robosmith inbox',
    ]);
    run.cancel();
    await run.settled();
    expect(manager.get(session.id).state).toBe('failed');
    expect(await merge()).toMatchObject({ ok: true, session: { state: 'merged' } });
    expect(bench.repository.git(['show', 'main:made.txt'])).toContain('by hand');
  });

  test.each([
    ['pushed', (id: SessionId) => bench.sessions.api.push(id)],
    ['updated', (id: SessionId) => bench.sessions.api.update(id, { abort: false })],
    ['merged', (id: SessionId) => bench.sessions.api.merge(id, { strategy: 'squash', message: null, verify: false })],
    ['held', (id: SessionId) => bench.sessions.api.hold(id, { release: false })],
    ['resumed', (id: SessionId) => bench.sessions.api.resume(id)],
    ['submitted', (id: SessionId) => bench.sessions.api.submit(id)],
  ])("that waits can't be %s: in the words of who has asked, with the way on", async (asked, ask) => {
    verifies('worktrees.session.machine');
    const id = await draft('Waits', { after: [await draft('Blocker')], isDraft: false });
    const { message, data } = await refusal(() => ask(id));
    expect(message).toBe(`session ${id} "Waits" is queued: it can't be ${asked}; it waits for its turn`);
    expect(data['next']).toEqual(['robosmith status']);
  });

  test.each([
    ['restored', 'it was not discarded', (id: SessionId) => bench.sessions.api.restore(id)],
    ['removed from the queue', 'it is not in the queue', (id: SessionId) => bench.sessions.api.withdraw(id)],
  ])("that is ready can't be %s", async (asked, because, ask) => {
    verifies('worktrees.session.machine');
    const { id } = await bench.session('Ready');
    const { message, data } = await refusal(() => ask(id));
    expect(message).toBe(`session ${id} "Ready" is ready: it can't be ${asked}; ${because}`);
    expect(data['next']).toEqual([`robosmith sessions show ${id}`]);
  });
});
