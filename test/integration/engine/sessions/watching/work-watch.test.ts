import { rmSync } from 'node:fs';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { projectSessions } from '#engine/sessions/views/list-sessions.ts';
import { verifies } from '../../../../e2e/verifies.ts';
import { newSessionBench, type SessionBench } from '../session-bench.ts';
import { hand, writes } from '../session-rows.ts';

/** The time limit of git in milliseconds, long enough for a busy machine. */
const A_MINUTE = 60_000;

let bench: SessionBench;
beforeEach(async () => {
  bench = await newSessionBench();
});
afterEach(() => bench.end());

test('what a run has changed counts as planned while it goes on, and when it is ready', async () => {
  verifies('worktrees.clash.real', 'worktrees.plan.rescan');
  const one = await bench.session('one');
  const other = await bench.session('other');
  const seen: (readonly string[])[] = [];
  const looked = async (): Promise<void> => {
    // The previous block has already started a scan. This scan begins later, so it is certain to include the block's
    // changes.
    await bench.sessions.refresh(one.id);
    seen.push(bench.get(one.id).changed);
  };
  await bench.run(one, {
    A: writes(one.worktree, 'a.txt', 'one\n'),
    B: hand(looked),
    C: writes(one.worktree, 'new.txt', ''),
  });
  expect(seen).toEqual([['a.txt']]);
  expect(bench.get(one.id)).toMatchObject({ state: 'ready', changed: ['a.txt', 'new.txt'] });
  expect(bench.sessions.manager.clashes()).toEqual([]);
  await bench.run(other, { A: writes(other.worktree, 'a.txt', 'other\n') });
  expect(bench.sessions.manager.clashes()).toEqual([{ sessions: [one.id, other.id], files: ['a.txt'] }]);
});

test('two sessions whose work is in conflict are told apart from two that only share a file', async () => {
  verifies('worktrees.clash.textual');
  const { repository, sessions } = bench;
  repository.put('long.txt', Array.from({ length: 40 }, (_, line) => `${String(line)}\n`).join(''));
  repository.commit('Long');
  const lines = (changes: Readonly<Record<number, string>>): string =>
    Array.from({ length: 40 }, (_, line) => `${changes[line] ?? String(line)}\n`).join('');
  const [one, other, third] = [await bench.session('one'), await bench.session('other'), await bench.session('third')];
  await bench.run(one, { A: writes(one.worktree, 'long.txt', lines({ 3: 'one' })) });
  await bench.run(other, { A: writes(other.worktree, 'long.txt', lines({ 3: 'other' })) });
  await bench.run(third, { A: writes(third.worktree, 'long.txt', lines({ 33: 'third' })) });
  const hunk = { file: 'long.txt', line: 4, text: expect.stringContaining('one\n') as unknown };
  expect(sessions.conflicts()).toMatchObject([{ sessions: [one.id, other.id], files: ['long.txt'], hunks: [hunk] }]);
  // If git does not answer before the time limit, the conflicts are unknown.
  const inNoTime = await projectSessions(repository.root, { limits: { healthMs: 0, conflictsMs: A_MINUTE } });
  expect(inNoTime.map(({ conflicts }) => conflicts)).toEqual([null, null, null]);
  // A process that only reads the sessions finds the same conflicts by its own comparison.
  const listed = await projectSessions(repository.root, { limits: { healthMs: A_MINUTE, conflictsMs: A_MINUTE } });
  expect(listed.map(({ overlap, conflicts }) => [overlap, conflicts?.map(({ with: met }) => met.title)])).toEqual([
    ['Clash', ['other']],
    ['Clash', ['one']],
    ['Clash', []],
  ]);
  // The session has dropped its change, so the next scan finds no conflict.
  repository.git(['checkout', '--quiet', '--', 'long.txt'], other.worktree);
  await sessions.refresh(other.id);
  expect(sessions.conflicts()).toEqual([]);
});

test('what a person has changed by hand is known before another session starts, and let go of', async () => {
  verifies('worktrees.clash.real');
  const { repository, sessions } = bench;
  const one = await bench.session('one');
  repository.put('a.txt', 'by hand\n', one.worktree);
  const order = { title: 'other', job: null, plan: ['a.txt'], base: null, attach: null, priority: null, after: [] };
  const other = await sessions.api.create({ ...order, isDraft: false });
  expect(other).toMatchObject({ state: 'queued' });
  expect(sessions.manager.places().get(other.id)).toEqual({ kind: 'waits', why: 'clash', for: [one.id] });
  repository.git(['checkout', '--quiet', '--', 'a.txt'], one.worktree);
  await sessions.refreshAll(() => true);
  expect(bench.get(other.id).state).toBe('queued');
  await sessions.refreshAll();
  await sessions.manager.idle();
  expect(bench.get(other.id).state).toBe('ready');
});

test('one whose folder is gone keeps nobody from knowing what the others have done', async () => {
  verifies('worktrees.clash.textual');
  const { repository, sessions } = bench;
  const [one, other, gone] = [await bench.session('one'), await bench.session('other'), await bench.session('gone')];
  for (const { worktree } of [one, other, gone]) repository.put('a.txt', `${worktree}\n`, worktree);
  repository.git(['commit', '--quiet', '-am', 'Committed'], gone.worktree);
  await sessions.refresh(gone.id);
  rmSync(gone.worktree, { recursive: true });
  await sessions.refresh(one.id);
  await sessions.refresh(other.id);
  const pairs = [
    [one.id, other.id],
    [one.id, gone.id],
    [other.id, gone.id],
  ];
  expect(sessions.conflicts()?.map(({ sessions: pair }) => pair)).toEqual(pairs);
  const listed = await projectSessions(repository.root, { limits: { healthMs: A_MINUTE, conflictsMs: A_MINUTE } });
  expect(listed.map(({ overlap, conflicts }) => [overlap, conflicts?.length])).toEqual([
    ['Clash', 2],
    ['Clash', 2],
    ['Clash', 2],
  ]);
});

test('work that is not committed is compared, and nothing of the repository is touched', async () => {
  const { repository, sessions } = bench;
  const [one, other] = [await bench.session('one'), await bench.session('other')];
  repository.put('a.txt', 'one\n', one.worktree);
  repository.put('new.txt', 'of one\n', one.worktree);
  repository.put('new.txt', 'of other\n', other.worktree);
  const refs = repository.git(['for-each-ref']);
  await Promise.all([sessions.refresh(one.id), sessions.refresh(other.id), sessions.refresh(one.id)]);
  expect(sessions.conflicts()).toMatchObject([{ files: ['new.txt'] }]);
  repository.put('of-two.txt', '', other.worktree);
  // Listing the sessions scans the worktrees again and stores nothing.
  const [, listed] = await projectSessions(repository.root, { limits: { healthMs: A_MINUTE, conflictsMs: A_MINUTE } });
  expect(listed?.session.changed).toEqual(['new.txt', 'of-two.txt']);
  expect(listed?.conflicts?.[0]?.hunks[0]?.text).toBe('<<<<<<< one\nof one\n=======\nof other\n>>>>>>> other');
  expect(bench.get(other.id).changed).toEqual(['new.txt']);
  expect(repository.git(['for-each-ref'])).toBe(refs);
  expect(repository.git(['status', '--porcelain'], one.worktree)).toBe('M a.txt\n?? new.txt');
});
