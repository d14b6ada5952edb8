import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Halt } from '#protocol/response.ts';
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

test('with guard "halt" the run waits for a person after that step, and is told how to undo it', async () => {
  verifies('worktrees.guard');
  const session = await bench.session('stray');
  const order: string[] = [];
  const note = (name: string) => hand(() => void order.push(name));
  const halting = { worktree: { guard: 'halt' } };
  const first = hand(() => {
    order.push('A');
    writeFileSync(path.join(bench.repository.root, 'a.txt'), 'not yours\n');
  });
  const { response } = await bench.run(session, { A: first, B: note('B') }, halting);
  expect(response.reason).toBe('halted');
  expect(order).toEqual(['A']);
  expect(bench.get(session.id)).toMatchObject({ state: 'halted' });
  const [halt] = response.details['halts'] as readonly Halt[];
  expect(halt).toMatchObject({ block: 'Main__A', why: 'main_changed' });
  const { root } = bench.repository;
  expect(halt?.last?.content).toContain('+not yours');
  expect(halt?.last?.content).toContain(`To undo it:\n  git -C ${root} stash push --include-untracked -- `);
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
