import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { NodeId } from '#protocol/id.ts';
import type { LandingNews, LandingReport } from '#protocol/landing-report.ts';
import { newSessionBench, type SessionBench } from '../session-bench.ts';
import { addBranch, addTests } from './tested-project.ts';

let bench: SessionBench;
beforeEach(async () => {
  bench = await newSessionBench();
  addTests(bench.repository);
});
afterEach(() => bench.end());

/** Creates a session that has added a file, without a commit. */
async function session(name: string, file = `${name}.txt`, text = `${name}\n`) {
  const made = await bench.session(name);
  writeFileSync(path.join(made.worktree, file), text);
  return made;
}

const branch = (name: string, file?: string, text?: string): void => addBranch(bench.repository, name, file, text);

const order = (names: readonly string[] = []) => ({ names, all: names.length === 0, maxRuns: 20, environment: null });

const land = (
  names: readonly string[] = [],
  signal = new AbortController().signal,
  onNews: (news: LandingNews) => void = () => undefined,
): Promise<LandingReport> => bench.sessions.landing.start(order(names), signal, onNews);

const runs = (): number =>
  existsSync(bench.repository.at('RUNS'))
    ? readFileSync(bench.repository.at('RUNS'), 'utf8').split('\n').length - 1
    : 0;

const subjects = (): readonly string[] => bench.repository.git(['log', '--format=%s', 'main']).split('\n').slice(0, -3);

test('sessions without a fault land with one test run, each as one commit, and files of the user stay', async () => {
  const made = [await session('one'), await session('two'), await session('three')];
  bench.repository.put('mine.txt', 'mine\n');
  bench.repository.put('a.txt', 'changed\n');
  const report = await land();
  expect(report).toMatchObject({ landed: ['one', 'two', 'three'], back: [] });
  expect(runs()).toBe(1);
  expect(subjects()).toEqual(['three', 'two', 'one']);
  expect(bench.repository.git(['status', '--porcelain'])).toBe('M a.txt\n?? mine.txt');
  for (const { id, worktree } of made) {
    expect(bench.get(id)).toMatchObject({ state: 'merged', worktree: null });
    expect(existsSync(worktree)).toBe(false);
  }
});

test('the one of a pair that comes later comes back, with what failed, and can be worked on again', async () => {
  for (const name of ['one', 'two', 'three']) branch(name);
  const four = await session('four');
  branch('five');
  const report = await land(['one', 'two', 'three', 'four', 'five']);
  expect(report.landed).toEqual(['one', 'two', 'three', 'five']);
  expect(report.back).toMatchObject([
    {
      name: 'four',
      why: { kind: 'breaks', with: ['two'], test: 'two and four' },
      output: expect.stringContaining('two and four') as string,
    },
  ]);
  expect(runs()).toBe(report.runs.length);
  expect(subjects()).toEqual(['five', 'three', 'two', 'one']);
  const back = bench.get(four.id);
  expect(back.state).toBe('ready');
  expect(back.why).toContain(
    'it came back from landing on main: it passes alone, fails together with two: two and four',
  );
  expect(back.returned).toBe(back.why);
  // Its work is as it was: not committed.
  expect(bench.repository.git(['status', '--porcelain'], four.worktree)).toBe('?? four.txt');
  // The next request in it contains what came back.
  const job = { start: { node: 'Main' as NodeId }, manifest: '/nowhere.json', input: 'Repair it.', script: null };
  const asked = await bench.sessions.api.rerun(four.id, { ...job, stepMode: false });
  expect(asked).toMatchObject({ returned: null, job: { input: `Repair it.\n\n${back.why ?? ''}` } });
});

test('a branch in conflict is left out before any test', async () => {
  branch('one', 'shared.txt', 'one\n');
  branch('other', 'shared.txt', 'other\n');
  branch('three');
  const report = await land(['one', 'other', 'three']);
  expect(report.landed).toEqual(['one', 'three']);
  expect(report.back).toMatchObject([
    { name: 'other', why: { kind: 'conflict', with: ['one'], files: ['shared.txt'] } },
  ]);
  expect(runs()).toBe(1);
});

test('a test that passes on the same files the second time is called flaky, and everything lands', async () => {
  branch('one');
  branch('flaky');
  const report = await land(['one', 'flaky']);
  expect(report).toMatchObject({ landed: ['one', 'flaky'], back: [], flaky: ['flaky'] });
});

test('what the base fails already is blamed on nobody', async () => {
  bench.repository.put('alone.txt', 'alone\n');
  bench.repository.commit('Broken');
  branch('one');
  branch('three');
  const report = await land(['one', 'three']);
  expect(report).toMatchObject({ landed: ['one', 'three'], back: [], on_base: ['alone'] });
});

test('a base that moves during the tests is built on, and tested, again', async () => {
  const { repository } = bench;
  const move = `[ -e ${repository.at('moved')} ] || { touch ${repository.at('moved')}; cd ${repository.root} && echo other > other.txt && git add other.txt && git commit -qm Other; }\n`;
  writeFileSync(repository.at('MOVES'), move);
  branch('moves');
  branch('one');
  expect(await land(['moves', 'one'])).toMatchObject({ landed: ['moves', 'one'] });
  expect(runs()).toBe(2);
  expect(subjects()).toEqual(['one', 'moves', 'Other']);
});

test('branches and worktrees of other programs land, and stay', async () => {
  const { repository } = bench;
  const place = repository.linkedWorktree('foreign', 'feature/foreign');
  repository.put('foreign.txt', 'foreign\n', place);
  repository.commit('Foreign work', place);
  const dirty = repository.linkedWorktree('dirty', 'feature/dirty');
  repository.put('dirty.txt', 'dirty\n', dirty);
  await session('one');
  const report = await land();
  expect(report.landed).toEqual(['one', 'feature/foreign']);
  expect(report.left).toEqual([{ name: 'feature/dirty', why: '1 file is not committed' }]);
  expect(subjects()).toEqual(['Foreign work', 'one']);
  expect(existsSync(path.join(place, 'foreign.txt'))).toBe(true);
});

test('a branch that contains another one comes back with it', async () => {
  const { repository } = bench;
  repository.git(['branch', 'below']);
  const place = repository.linkedWorktree('stack', 'above');
  repository.put('alone.txt', 'alone\n', place);
  repository.git(['branch', '-f', 'below', repository.commit('Below', place)]);
  repository.put('above.txt', 'above\n', place);
  repository.commit('Above', place);
  branch('one');
  const report = await land(['above', 'below', 'one']);
  expect(report.landed).toEqual(['one']);
  expect(report.back).toMatchObject([
    { name: 'below', why: { kind: 'breaks', with: [] } },
    { name: 'above', why: { kind: 'needs', with: ['below'] } },
  ]);
});

test('an interrupted landing leaves everything as it was, and goes on without repeating a test', async () => {
  for (const name of ['one', 'two']) branch(name);
  const four = await session('four');
  const before = bench.repository.git(['rev-parse', 'main']);
  const stop = new AbortController();
  const stopped = await land(['one', 'two', 'four'], stop.signal, (news) => {
    if (news.kind === 'tested' && news.run.number === 2) stop.abort();
  });
  expect(stopped).toMatchObject({ is_stopped: true, landed: [], to: null });
  expect(bench.repository.git(['rev-parse', 'main'])).toBe(before);
  expect(bench.get(four.id)).toMatchObject({ state: 'ready', why: null });
  const tested = runs();
  const goesOn: (number | null)[] = [];
  const report = await bench.sessions.landing.start(
    { names: [], all: false, maxRuns: 20, environment: null },
    new AbortController().signal,
    (news) => {
      if (news.kind === 'plan') goesOn.push(news.goesOn);
    },
  );
  expect(goesOn).toEqual([tested + 1]);
  expect(report).toMatchObject({ landed: ['one', 'two'], back: [{ name: 'four' }] });
  expect(runs()).toBe(report.runs.length);
});

test('an undo moves the base back and keeps the files of the user, and is refused once somebody has built on it', async () => {
  const { repository, sessions } = bench;
  const before = repository.git(['rev-parse', 'main']);
  branch('three');
  await session('one');
  await land(['one', 'three']);
  repository.put('a.txt', 'changed\n');
  repository.put('staged.txt', 'staged\n');
  repository.git(['add', 'staged.txt']);
  repository.put('one.txt', 'in the way\n');
  await expect(sessions.landing.undo()).rejects.toThrow('one.txt');
  expect(repository.git(['log', '--format=%s', '-1', 'main'])).toBe('three');
  repository.git(['checkout', '--', 'one.txt']);
  const undone = await sessions.landing.undo();
  expect(repository.git(['rev-parse', 'main'])).toBe(before);
  expect(repository.git(['status', '--porcelain'])).toBe('M a.txt\nA  staged.txt');
  expect(undone.notes).toHaveLength(1);
  const branches = repository.git(['branch', '--list', 'robosmith/*', '--format=%(refname:short)']).split('\n');
  expect(branches).toHaveLength(1);
  await expect(sessions.landing.undo()).rejects.toThrow('There is no landing to undo');

  repository.git(['stash']);
  expect(await land(branches)).toMatchObject({ landed: branches });
  repository.put('more.txt', 'more\n');
  repository.commit('More');
  await expect(sessions.landing.undo()).rejects.toThrow('it has 1 more commit');
});

test('a wrong name is refused before anything changes, and so is a second landing at the same time', async () => {
  branch('one');
  await expect(land(['onne'])).rejects.toThrow('There is no session, branch or worktree "onne"');
  await expect(land(['main'])).rejects.toThrow('main is what the others land on');
  const stop = new AbortController();
  const first = land(['one'], stop.signal);
  await expect(land(['one'])).rejects.toThrow('Another landing is going on');
  expect(await first).toMatchObject({ landed: ['one'] });
});
