import { readFileSync, rmSync, writeFileSync } from 'node:fs';
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

const steps = (run: string): readonly string[] =>
  bench.repository
    .git(['for-each-ref', '--format=%(refname)', `refs/robosmith/steps/${run}/`])
    .split('\n')
    .filter((ref) => ref !== '');

test('before each step with side effects the files are kept, unless nothing has changed', async () => {
  verifies('engine.snapshots.before-effects', 'engine.snapshots.pruned');
  const { repository, engine } = bench;
  const session = await bench.session('kept');
  const at = (name: string): string => path.join(session.worktree, name);
  writeFileSync(at('mine.txt'), 'untracked\n');
  const { id } = await bench.run(session, {
    A: writes(session.worktree, 'a.txt', 'A\n'),
    Look: hand(() => void readFileSync(at('a.txt')), 'none'),
    B: hand(() => undefined),
    C: writes(session.worktree, 'mine.txt', 'C\n'),
  });
  expect(steps(id)).toEqual([1, 2].map((number) => `refs/robosmith/steps/${id}/${String(number)}`));
  const kept = (number: number, name: string): string =>
    repository.git(['show', `refs/robosmith/steps/${id}/${String(number)}:${name}`]);
  expect([kept(1, 'a.txt'), kept(1, 'mine.txt'), kept(2, 'a.txt'), kept(2, 'mine.txt')]).toEqual([
    ...['a', 'untracked', 'A', 'untracked'],
  ]);
  expect(repository.git(['log', '--format=%s', session.branch])).toBe('Ignore\nFirst');
  expect(repository.git(['diff', '--cached', '--name-only'], session.worktree)).toBe('');
  const { runs } = engine.prune({ keep: 0 });
  expect(runs).toEqual([id]);
  await engine.forgetSnapshots(runs);
  expect(steps(id)).toEqual([]);
});

test('a run whose snapshots can not be removed does not go: nobody would look for them any more', async () => {
  verifies('engine.snapshots.pruned');
  const { repository, engine } = bench;
  const session = await bench.session('locked');
  const { id } = await bench.run(session, { A: writes(session.worktree, 'a.txt', 'A\n') });
  // A killed git leaves such a lock file behind.
  const lock = path.join(repository.root, '.git', 'packed-refs.lock');
  writeFileSync(lock, '');
  expect(await engine.forgetSnapshots([id])).toEqual([id]);
  expect(engine.prune({ keep: 0 }, [id]).runs).toEqual([]);
  expect(bench.warnings.filter((text) => text.includes(lock) && text.startsWith(id))).toHaveLength(1);
  rmSync(lock);
  expect(await engine.forgetSnapshots([id])).toEqual([]);
  expect(engine.prune({ keep: 0 }).runs).toEqual([id]);
  expect(steps(id)).toEqual([]);
});

test('the snapshots of a run that is gone without them go with the next ones; those of another project stay', async () => {
  verifies('engine.snapshots.pruned');
  const { repository, engine } = bench;
  const session = await bench.session('removed');
  const { id } = await bench.run(session, { A: writes(session.worktree, 'a.txt', 'A\n') });
  repository.git(['update-ref', 'refs/robosmith/steps/rabc/1', 'HEAD']);
  await engine.forgetSnapshots([]);
  expect(steps(id)).toHaveLength(1);
  rmSync(path.join(repository.root, '.flow', 'runs', id), { recursive: true });
  expect(await engine.forgetSnapshots([])).toEqual([]);
  expect([steps(id), steps('rabc')]).toEqual([[], ['refs/robosmith/steps/rabc/1']]);
});

test('in a directory that is not the worktree of its session nothing is kept', async () => {
  verifies('engine.snapshots.in-dir-never-restored');
  const session = await bench.session('elsewhere');
  const { id } = await bench.run({ ...session, worktree: bench.at }, { A: writes(bench.at, 'x.txt', '') });
  expect(steps(id)).toEqual([]);
});
