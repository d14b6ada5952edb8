import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { forkRun } from '#engine/durable/fork-run.ts';
import { forkSession } from '#engine/sessions/fork-session.ts';
import { fileCalls } from '#io/files/file-calls.ts';
import { createGit, type Git } from '#io/git/plumbing/git.ts';
import { newId } from '#io/clock/identity.ts';
import { createProcesses } from '#io/process/process.ts';
import type { HaltId, NodeId, RunId } from '#protocol/id.ts';
import type { Session } from '#protocol/session.ts';
import { verifies } from '../../../e2e/verifies.ts';
import { newSessionBench, type SessionBench } from './session-bench.ts';
import { hand, rowOf, workersOf, writes } from './session-rows.ts';

let bench: SessionBench;
beforeEach(async () => {
  bench = await newSessionBench();
});
afterEach(() => bench.end());

const now = (): number => 1;

const placeIn = ({ repository }: SessionBench) => ({
  calls: fileCalls,
  folder: path.join(repository.root, '.flow'),
});

const partsOf = (of: SessionBench) => ({
  ...placeIn(of),
  now,
  newId,
  root: of.repository.root,
  processes: createProcesses(),
  environment: {},
  git: createGit(createProcesses()),
  warn: () => undefined,
  manager: of.sessions.manager,
});

const textOf = (folder: string, name: string): string =>
  existsSync(path.join(folder, name)) ? readFileSync(path.join(folder, name), 'utf8') : 'gone';

async function forked(of: Session, run: RunId, step: number) {
  const { sessions } = bench;
  const { id, runs } = await sessions.api.fork(of.id, { run, step });
  const session = await sessions.api.moved(id, runs.length);
  return { run: runs[0] ?? run, session, worktree: session.worktree ?? '' };
}

test('time travel in a session begins in a new one, with the files of its step', async () => {
  verifies('engine.snapshots.time-travel');
  const { engine, repository, sessions } = bench;
  const session = await bench.session('travels');
  const at = session.worktree;
  const { id } = await bench.run(session, {
    A: writes(at, 'a.txt', 'A\n'),
    B: hand(() => {
      rmSync(path.join(at, 'src/b.txt'));
      repository.git(['commit', '--quiet', '--all', '--message=B'], at);
    }),
    C: writes(at, 'new.txt', 'C\n'),
    End: hand(() => undefined, 'none'),
  });
  const files = (folder: string): readonly string[] =>
    ['a.txt', 'src/b.txt', 'new.txt'].map((name) => textOf(folder, name));
  const [second, third, last] = [
    await forked(session, id, 2),
    await forked(session, id, 3),
    await forked(session, id, 4),
  ];
  expect(files(second.worktree)).toEqual(['A\n', 'b\n', 'gone']);
  expect(files(third.worktree)).toEqual(['A\n', 'gone', 'gone']);
  expect(files(last.worktree)).toEqual(['A\n', 'gone', 'C\n']);
  expect(repository.git(['log', '--format=%s', second.session.branch])).toBe('Ignore\nFirst');
  expect(repository.git(['log', '--format=%s', third.session.branch])).toBe('B\nIgnore\nFirst');
  expect(repository.git(['for-each-ref', 'refs/robosmith/start', 'refs/robosmith/rescue'])).toBe('');
  expect(second.session).toMatchObject({ state: 'ready', runs: [second.run], base: session.base });
  const journal = textOf(repository.root, `.flow/runs/${second.run}/journal.jsonl`);
  expect(journal.split('\n')[0]).toContain(`"session":"${second.session.id}"`);
  // Completed steps are not repeated. The next ones change the new worktree only.
  const before = files(at);
  const workers = workersOf({ B: writes(second.worktree, 'new.txt', 'of the fork\n'), C: hand(() => undefined) });
  const run = engine.resume(second.run, second.worktree, {
    workers: new Map([...workers, ...workersOf({ End: hand(() => undefined) })]),
  });
  expect((await run.settled()).success).toBe(true);
  expect(files(second.worktree)).toEqual(['A\n', 'b\n', 'of the fork\n']);
  expect(files(at)).toEqual(before);
  expect(bench.get(second.session.id)).toMatchObject({ state: 'ready', changed: ['a.txt', 'new.txt'] });
  expect(sessions.manager.get(session.id).runs).toEqual([id]);
});

test('without its snapshot nothing is made', async () => {
  const { engine, sessions } = bench;
  const session = await bench.session('travels');
  const { id } = await bench.run(session, { A: writes(session.worktree, 'a.txt', 'A\n') });
  await engine.forgetSnapshots([id]);
  bench.repository.git(['reflog', 'expire', '--expire=now', '--all']);
  bench.repository.git(['gc', '--quiet', '--prune=now']);
  const known = sessions.manager.list();
  await expect(sessions.api.fork(session.id, { run: id, step: 1 })).rejects.toMatchObject({ code: 'refused' });
  expect(sessions.manager.list()).toEqual(known);
});

test('a step that begins while the files are looked at is not in them', async () => {
  verifies('engine.snapshots.time-travel');
  const { engine, repository } = bench;
  const session = await bench.session('travels');
  const [written, over] = [Promise.withResolvers<undefined>(), Promise.withResolvers<undefined>()];
  const hands = {
    A: hand(() => undefined, 'none'),
    B: hand(async () => {
      writeFileSync(path.join(session.worktree, 'half.txt'), 'half\n');
      written.resolve(undefined);
      await over.promise;
    }),
  };
  const options = { start: { node: 'Main' as NodeId }, session: session.id, stepMode: true };
  const worker = (side_effects: string) => ({ kind: 'command', command: ['none'], side_effects });
  const row = rowOf(['A', 'B'], { workers: { 'Worker:A': worker('none'), 'Worker:B': worker('idempotent') } });
  const run = engine.start(row, { ...options, workers: workersOf(hands) }, session.worktree);
  const proceed = async (): Promise<void> => {
    const [halt] = run.halts();
    expect(run.answer(halt?.halt_id as HaltId, { verb: 'proceed' })).toMatchObject({ accepted: true });
    await Promise.resolve();
  };
  await run.settled();
  await proceed();
  await run.settled();

  const real = createGit(createProcesses());
  let begun: Promise<void> | null = null;
  const git: Git = async (folder, ...more) => {
    if (folder === session.worktree) await (begun ??= proceed().then(() => written.promise));
    return real(folder, ...more);
  };
  const place = placeIn(bench);
  const forked = await forkSession(
    session.id,
    { run: run.id, step: 1 },
    {
      ...partsOf(bench),
      git,
      forkRun: (id, step, into, directory) => forkRun(place, id, step, { now, newId }, { session: into, directory }),
    },
  );
  expect(begun).not.toBeNull();
  const files = repository.git(['ls-tree', '-r', '--name-only', `refs/robosmith/start/${forked.id}`]);
  expect(files).toContain('src/b.txt');
  expect(files).not.toContain('half.txt');
  over.resolve(undefined);
  expect((await run.settled()).success).toBe(true);
});

test('a step that the run does not have leaves nothing behind', async () => {
  const { sessions, repository } = bench;
  const session = await bench.session('travels');
  const { id } = await bench.run(session, { A: hand(() => undefined, 'none') });
  const refs = repository.git(['for-each-ref']);
  await expect(sessions.api.fork(session.id, { run: id, step: 9 })).rejects.toMatchObject({ code: 'usage' });
  expect(repository.git(['for-each-ref'])).toBe(refs);
  expect(sessions.manager.list()).toEqual([bench.get(session.id)]);
});

test('a run that could not be copied leaves nothing behind', async () => {
  const { repository } = bench;
  const session = await bench.session('travels');
  const { id } = await bench.run(session, { A: writes(session.worktree, 'a.txt', 'A\n') });
  const refs = repository.git(['for-each-ref']);
  let during = '';
  const full = (): never => {
    during = repository.git(['for-each-ref']);
    throw new Error('no room');
  };
  await expect(forkSession(session.id, { run: id, step: 1 }, { ...partsOf(bench), forkRun: full })).rejects.toThrow(
    'no room',
  );
  expect(during).toMatch(/refs\/heads\/.*from-step-1[^]*refs\/robosmith\/start\//);
  expect(repository.git(['for-each-ref'])).toBe(refs);
});
