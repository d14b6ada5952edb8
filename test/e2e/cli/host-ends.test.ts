import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import type { HostStatus } from '#protocol/host.ts';
import { verifies } from '../verifies.ts';
import { chain, RUN, worker } from './durable.ts';
import { type HostedProject, hostedProject, isThere } from './hosted.ts';
import { rawClient } from './raw-client.ts';
import { ended, NODE, start, to } from './robosmith.ts';
import { MANIFEST, type SessionProject, sessionProject } from './session-project.ts';
import { isAlive } from '../../support/is-alive.ts';
import { until } from '../../support/until.ts';

let at: { remove(): Promise<void> };
afterEach(() => at.remove());

/** A set-up command that logs its start and waits until the test creates the file `set-up` or `fails`. */
const SLOW_SETUP = `
import { appendFileSync, existsSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';
appendFileSync('../../setup.log', 'began\\n');
for (let tries = 0; tries < 2000 && !existsSync('../../set-up') && !existsSync('../../fails'); tries += 1) await setTimeout(20);
process.exitCode = existsSync('../../fails') ? 1 : 0;
`;

const SLOW = { ...MANIFEST, worktree: { setup: [[NODE, '../../setup.mjs']] } };
const outside = ({ folder }: SessionProject, name: string): string => path.join(folder, '..', name);

/** Starts the session Alpha and resolves while its worktree is being set up. */
async function makingAlpha(project: SessionProject): Promise<void> {
  writeFileSync(outside(project, 'setup.mjs'), SLOW_SETUP);
  expect((await project.robosmith('run', 'Fix', '--session', 'Alpha', '--trust', '--detach')).code).toBe(0);
  await until(() => existsSync(outside(project, 'setup.log')), 'the set-up of its worktree');
}

const hostOf = async (project: SessionProject): Promise<HostStatus> => {
  const { out } = await project.robosmith('host', 'status', '--json');
  const { host } = JSON.parse(out) as { readonly host: HostStatus | null };
  if (host === null) throw new Error('there is no host');
  return host;
};

describe('what is done to a session keeps the host', () => {
  test('a session that is being made: the host answers meanwhile; stop waits for it, and for its run', async () => {
    verifies('engine.host.busy', 'cli.host');
    const project = await sessionProject(SLOW);
    at = project;
    await makingAlpha(project);
    const { id } = await project.session('Alpha');
    const { pid, busy } = await hostOf(project);
    expect(busy).toEqual([id]);

    // Edits of the plan are made by the host, which stays.
    expect((await project.robosmith('tasks', 'accept')).code).toBe(0);
    expect(await hostOf(project)).toMatchObject({ pid, busy: [id] });
    const stop = ended(start(['host', 'stop'], project.folder));
    await until(async () => (await hostOf(project)).stopping, 'the stop');
    const late = await project.robosmith('sessions', 'new', 'Beta');
    expect([late.code, late.err]).toEqual([1, expect.stringContaining('is stopping and starts nothing new')]);
    writeFileSync(outside(project, 'set-up'), '');
    project.openGate();
    const { code, err } = await stop;
    expect([code, err]).toEqual([0, expect.stringContaining(`Waiting for ${id}`)]);
    expect((await project.session('Alpha')).state).toBe('ready');
    expect(readFileSync(outside(project, 'setup.log'), 'utf8')).toBe('began\n');
  });

  test('once it has ended, and nobody is there to see it, the host idles out', async () => {
    verifies('engine.host.idle');
    const project = await sessionProject(SLOW);
    at = project;
    await project.robosmith('host', 'start', '--idle', '0.02');
    const { pid } = await hostOf(project);
    await makingAlpha(project);
    writeFileSync(outside(project, 'fails'), '');
    await until(() => !isAlive(pid), 'the end of the host');
    expect((await project.session('Alpha')).state).toBe('failed');
  });

  test('a merge: stop --force gives it its time, and then nobody owns the engine before that process is gone', async () => {
    verifies('engine.host.busy', 'cli.host');
    const project = await sessionProject();
    at = project;
    await project.robosmith('host', 'start');
    await project.robosmith('sessions', 'new', 'Alpha');
    const { worktree } = await project.session('Alpha');
    writeFileSync(path.join(worktree ?? '', 'new.txt'), 'work\n');
    const [began, go] = [outside(project, 'hook-began'), outside(project, 'hook-go')];
    const hook = project.file('.git/hooks/pre-commit');
    writeFileSync(hook, `#!/bin/sh\ntouch '${began}'\nwhile [ ! -e '${go}' ]; do sleep 0.05; done\n`);
    chmodSync(hook, 0o755);
    const merge = ended(start(['sessions', 'merge', 'Alpha'], project.folder));
    await until(() => existsSync(began), 'the merge');
    const { pid } = await hostOf(project);
    expect((await project.robosmith('tasks', 'accept')).code).toBe(0);
    expect((await hostOf(project)).pid).toBe(pid);

    expect((await project.robosmith('host', 'stop', '--force')).code).toBe(0);
    expect(isAlive(pid)).toBe(false);
    expect((await merge).code).toBe(1);
    writeFileSync(go, '');
    expect((await project.robosmith('sessions', 'merge', 'Alpha')).code).toBe(0);
    expect(project.git('show', 'main:new.txt')).toBe('work\n');
  });
});

test('a client that never reads does not keep the host from its end', async () => {
  verifies('cli.host', 'engine.host.slow-client');
  const large = { ...worker('A'), command: [...worker('A').command, 'x'.repeat(100_000)] };
  const project = await hostedProject({ '.vision/workflows.json': chain({ workers: { 'Worker:A': large } }) });
  at = project;
  const status = await project.startHost();
  expect((await project.robosmith(...RUN)).code).toBe(0);
  const { run } = await project.newest();
  const [deaf, friend] = [await rawClient(status.socket), await rawClient(status.socket)];
  for (const client of [deaf, friend]) await client.hello(project.token(status));
  deaf.socket.pause();
  for (let asked = 0; asked < 50; asked += 1) void deaf.ask('run.show', { run });
  // These requests come after those of the client `deaf`. When they are answered, the host has also answered `deaf`,
  // with more bytes than the socket buffers hold.
  for (let asked = 0; asked < 100; asked += 1) await friend.ask('run.show', { run });
  expect(await friend.ask('host.stop', { mode: 'wait' })).toMatchObject({ result: { stopped: true } });
  friend.close();
  await until(() => !isAlive(status.pid), 'the end of the host');
  deaf.close();
});

const MANIFEST_OF_ONE = {
  version: 1,
  entry: 'Main',
  nodes: { Main: { entry_block: 'A', blocks: { A: { worker: 'own', transitions: [to('SUCCESS', 'RETURN')] } } } },
};

/** A module that ignores the abort signal, and logs whether another process executes it at the same time. */
const STUBBORN = `
import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
const at = (name) => path.join(import.meta.dirname, name);
const runs = (pid) => {
  try {
    process.kill(pid, 0);
    return process.platform !== 'linux' || !/^State:\\s+Z/m.test(readFileSync('/proc/' + pid + '/status', 'utf8'));
  } catch {
    return false;
  }
};
export const Own = { sideEffects: 'idempotent', execute: async () => {
  const before = existsSync(at('ran')) ? readFileSync(at('ran'), 'utf8').match(/\\d+/g).map(Number) : [];
  appendFileSync(at('ran'), process.pid + (before.some(runs) ? ' beside another' : ' alone') + '\\n');
  while (!existsSync(at('let-go'))) await new Promise((resolve) => setTimeout(resolve, 10));
  return { signal: 'SIGNAL:SUCCESS' };
} };
`;

const withModule = (text: string): Promise<HostedProject> =>
  hostedProject({
    '.vision/workflows.json': MANIFEST_OF_ONE,
    '.flow/flow.registry.json': { own: './own.mjs#Own' },
    'own.mjs': text,
  });

const alone = /^(?:\d+ alone\n){2}$/;

describe('a worker of the project that does not end', () => {
  test('in the host: nobody executes its block again before that process is gone', async () => {
    verifies('engine.host.one');
    const project = await withModule(STUBBORN);
    at = project;
    const { pid } = await project.startHost();
    const run = await project.detach();
    await until(() => isThere(project.file('ran')), 'the worker');
    expect((await project.robosmith('host', 'stop', '--force')).code).toBe(0);
    expect(isAlive(pid)).toBe(false);
    await project.write('let-go', '');
    expect((await project.robosmith('resume', run)).code).toBe(0);
    expect(await project.read('ran')).toMatch(alone);
  });

  test.skipIf(process.platform === 'win32')('in a process of its own: Ctrl-C ends it all the same', async () => {
    verifies('engine.crash-barrier.signals');
    const project = await withModule(STUBBORN);
    at = project;
    const own = await project.until('Main', ...RUN);
    await until(() => isThere(project.file('ran')), 'the worker');
    own.signal('SIGINT');
    expect((await own.ended).code).toBe(0);
    await project.write('let-go', '');
    expect((await project.robosmith('resume')).code).toBe(0);
    expect(await project.read('ran')).toMatch(alone);
  });

  test('a timer that it left behind keeps no host', async () => {
    verifies('engine.host.idle');
    const project = await withModule(`setInterval(() => undefined, 1000);
export const Own = { sideEffects: 'none', execute: async () => ({ signal: 'SIGNAL:SUCCESS' }) };
`);
    at = project;
    const { pid } = await project.startHost('--idle', '0.05');
    expect((await project.robosmith(...RUN)).code).toBe(0);
    await until(() => !isAlive(pid), 'the end of the host');
  });
});
