import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { verifies } from '../../../../e2e/verifies.ts';
import { newSessionBench, type SessionBench } from '../session-bench.ts';
import { hand, writes } from '../session-rows.ts';

let bench: SessionBench;
beforeEach(async () => {
  bench = await newSessionBench();
});
afterEach(() => bench.end());

const strays = () => hand(() => writeFileSync(path.join(bench.repository.root, 'a.txt'), 'not yours\n'));

const NONE = hand(() => undefined);

test('a change of the main checkout is an event and a warning on the session, and its run goes on', async () => {
  verifies('worktrees.guard');
  const session = await bench.session('stray');
  const { response, events } = await bench.run(session, { A: NONE, B: strays(), C: NONE });
  expect(response.success).toBe(true);
  expect(events.filter(({ type }) => type === 'main.changed')).toMatchObject([
    { block: 'Main__B', what: ['status'], paths: ['a.txt'], text: 'a.txt: was as committed, is changed' },
  ]);
  expect(bench.get(session.id)).toMatchObject({ state: 'ready' });
  expect(bench.get(session.id).why).toMatch(
    /^the main checkout changed while r[0-9a-f]+ worked: a\.txt: was as committed/,
  );
});

test('with guard "halt" the run stops after that step, and can go on', async () => {
  verifies('worktrees.guard');
  const session = await bench.session('stray');
  const order: string[] = [];
  const note = (name: string) => hand(() => void order.push(name));
  const halting = { worktree: { guard: 'halt' } };
  const { id, response } = await bench.run(session, { A: strays(), B: note('B') }, halting);
  expect(response.reason).toBe('interrupted');
  expect(order).toEqual([]);
  expect(bench.get(session.id)).toMatchObject({ state: 'halted' });
  expect(bench.get(session.id).why).toMatch(/its run was stopped.*\nthe main checkout changed/);
  const workers = new Map([['Worker:B', note('B')]]);
  const resumed = bench.engine.resume(id, session.worktree, { workers });
  expect((await resumed.settled()).success).toBe(true);
  expect(order).toEqual(['B']);
});

test("the engine's own merge, its folders, and the session's worktree are no change", async () => {
  const { sessions, repository } = bench;
  const [merged, session] = [await bench.session('merged'), await bench.session('quiet')];
  await bench.run(merged, { A: writes(merged.worktree, 'a.txt', 'merged\n') });
  repository.git(['commit', '--quiet', '--all', '--message=Work'], merged.worktree);
  const merges = hand(async () => {
    const disposed = await sessions.api.merge(merged.id, { strategy: 'squash', message: null, verify: false });
    expect(disposed.ok).toBe(true);
  });
  const { events } = await bench.run(session, { A: merges, B: writes(session.worktree, 'b.txt', '') });
  expect(repository.git(['show', 'main:a.txt'])).toBe('merged');
  expect(events.map(({ type }) => type)).not.toContain('main.changed');
  expect(bench.get(session.id)).toMatchObject({ state: 'ready', why: null });
});
