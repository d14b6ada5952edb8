import { cpSync, existsSync, mkdirSync, readFileSync, renameSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { isAlive } from '../../support/is-alive.ts';
import { until } from '../../support/until.ts';
import { type Ended, ended, start } from './robosmith.ts';
import { GATED, type Listed, type SessionProject, sessionProject } from './session-project.ts';

/** A project with one session, whose run waits at a gate. */
let at: SessionProject;
let id = '';
let run = '';
let worktree = '';
/** Further folders with a host of their own. */
let others: string[];
beforeEach(async () => {
  others = [];
  at = await sessionProject(GATED);
  at.openGate();
  expect((await at.robosmith('run', 'Fix', '--session', 'Alpha', '--trust')).code).toBe(3);
  const session = await at.session('Alpha');
  ({ id } = session);
  run = session.runs[0] ?? '';
  worktree = session.worktree ?? '';
});
afterEach(async () => {
  for (const folder of others) await robosmith(folder, 'host', 'stop', '--force');
  // The commands that remove the project are started in its folder.
  mkdirSync(at.folder, { recursive: true });
  await at.remove();
});

const robosmith = (folder: string, ...args: readonly string[]): Promise<Ended> => ended(start(args, folder));

const stopHost = async (): Promise<void> => expect((await at.robosmith('host', 'stop')).code).toBe(0);

/** Returns a new path beside the project. */
function beside(name: string): string {
  const folder = path.join(at.folder, '..', name);
  others.push(folder);
  return folder;
}

async function sessionIn(folder: string): Promise<Listed['session']> {
  const { out } = await robosmith(folder, 'sessions', '--json');
  const [first] = (JSON.parse(out) as { readonly sessions: readonly Listed[] }).sessions;
  if (first === undefined) throw new Error(`no session in ${folder}`);
  return first.session;
}

const work = (place: string): string => readFileSync(path.join(place, 'src/a.txt'), 'utf8');
const DONE = 'one\nby alpha\n';

describe('a project that is moved keeps its sessions', { timeout: 120_000 }, () => {
  test('renamed: the run goes on, and its work is merged', async () => {
    await stopHost();
    const renamed = beside('renamed');
    renameSync(at.folder, renamed);
    const resumed = await robosmith(renamed, 'resume', run, '--proceed', '--trust');
    expect(resumed.code).toBe(0);
    expect(work(worktree)).toBe(DONE);
    expect((await robosmith(renamed, 'sessions', 'merge', id)).code).toBe(0);
    expect(work(renamed)).toBe(DONE);
  });

  test('moved together with its worktrees: the commands that are named lead there', async () => {
    await stopHost();
    const moved = beside('moved/project');
    cpSync(path.join(at.folder, '..', 'config'), path.join(moved, '..', 'config'), { recursive: true });
    renameSync(at.folder, moved);
    renameSync(`${at.folder}.worktrees`, `${moved}.worktrees`);
    const refused = await robosmith(moved, 'resume', run, '--proceed', '--trust');
    expect([refused.code, refused.err]).toEqual([2, expect.stringContaining(`robosmith sessions resume ${id}`)]);
    const untrusted = await robosmith(moved, 'sessions', 'resume', id);
    expect([untrusted.code, untrusted.err]).toEqual([2, expect.stringContaining(`sessions resume ${id} --trust`)]);
    expect((await sessionIn(moved)).state).toBe('halted');
    expect((await robosmith(moved, 'sessions', 'resume', id, '--trust')).code).toBe(0);
    await until(async () => (await sessionIn(moved)).state === 'halted', 'the halted session');
    const place = path.join(`${moved}.worktrees`, path.basename(worktree));
    expect((await sessionIn(moved)).worktree).toBe(place);
    expect((await robosmith(moved, 'resume', run, '--proceed')).code).toBe(0);
    expect(work(place)).toBe(DONE);
    expect((await robosmith(moved, 'sessions', 'discard', id, '--force', '--yes')).code).toBe(0);
  });

  test('renamed while its host lives: that host ends, and creates nothing where the project was', async () => {
    const { host } = JSON.parse((await at.robosmith('host', 'status', '--json')).out) as {
      readonly host: { readonly pid: number };
    };
    const renamed = beside('renamed');
    renameSync(at.folder, renamed);
    expect((await robosmith(renamed, 'resume', run, '--proceed', '--trust')).code).toBe(0);
    expect(isAlive(host.pid)).toBe(false);
    expect(existsSync(at.folder)).toBe(false);
    expect(work(worktree)).toBe(DONE);
  });
});

test('a worktree that is moved takes its halted run along', { timeout: 120_000 }, async () => {
  const place = path.join(at.folder, '..', 'elsewhere');
  at.git('worktree', 'move', '--force', '--force', worktree, place);
  const refused = await at.robosmith('resume', run, '--proceed');
  expect([refused.code, refused.err]).toEqual([2, expect.stringContaining(`robosmith sessions resume ${id}`)]);
  expect((await at.robosmith('sessions', 'resume', id)).code).toBe(0);
  await at.untilState('Alpha', 'halted');
  expect((await at.robosmith('resume', run, '--proceed')).code).toBe(0);
  expect(work(place)).toBe('one\nby elsewhere\n');
});

test('a copy of the project does not work in the worktrees of the original', { timeout: 120_000 }, async () => {
  await stopHost();
  const copy = beside('copy');
  cpSync(at.folder, copy, { recursive: true });
  const refused = await robosmith(copy, 'resume', run, '--proceed', '--trust');
  expect([refused.code, refused.err]).toEqual([1, expect.stringContaining(`robosmith sessions resume ${id}`)]);
  expect(work(worktree)).toBe('one\n');
  expect((await robosmith(copy, 'sessions', 'resume', id)).code).toBe(0);
  await until(async () => (await sessionIn(copy)).state === 'halted', 'the halted session');
  expect((await robosmith(copy, 'resume', run, '--proceed')).code).toBe(0);
  expect((await robosmith(copy, 'sessions', 'merge', id)).code).toBe(0);
  expect(work(copy)).toBe(DONE);
  // The original knows nothing of it.
  expect(work(worktree)).toBe('one\n');
  expect((await at.robosmith('resume', run, '--proceed')).code).toBe(0);
  expect(work(worktree)).toBe(DONE);
});

describe('a session whose manifest is gone', { timeout: 120_000 }, () => {
  /** Runs a session from inside the worktree of Alpha, whose manifest it stores, and discards Alpha. */
  async function stranded(): Promise<string> {
    const { code } = await ended(start(['run', 'Fix', '--session', 'Beta', '--trust'], worktree));
    expect(code).toBe(3);
    const beta = await at.session('Beta');
    expect((await at.robosmith('resume', beta.runs[0] ?? '', '--proceed')).code).toBe(0);
    expect((await at.robosmith('sessions', 'discard', id, '--force')).code).toBe(0);
    expect(existsSync(worktree)).toBe(false);
    return beta.id;
  }

  test('with the worktree of another session is merged', async () => {
    const beta = await stranded();
    expect((await at.robosmith('sessions', 'merge', beta)).code).toBe(0);
    expect(at.read('src/a.txt')).toBe('one\nby beta\n');
  });

  test('is discarded and restored', async () => {
    const beta = await stranded();
    expect((await at.robosmith('sessions', 'discard', beta, '--force')).code).toBe(0);
    expect((await at.robosmith('sessions', 'restore', beta)).code).toBe(0);
    expect(work((await at.session('Beta')).worktree ?? '')).toBe('one\nby beta\n');
  });
});

test('a project that is reached through a link stores its manifest as its own', { timeout: 120_000 }, async () => {
  const link = path.join(at.folder, '..', 'link');
  symlinkSync(at.folder, link);
  expect((await at.robosmith('-C', link, 'run', 'Fix', '--session', 'Beta')).code).toBe(3);
  const stored = JSON.parse(at.read('.flow/sessions.json')) as { readonly sessions: readonly Listed['session'][] };
  expect(stored.sessions.map(({ job }) => job?.manifest)).toEqual(['.vision/workflows.json', '.vision/workflows.json']);
});
