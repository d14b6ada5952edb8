import { chmodSync, readdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { execa } from 'execa';
import { afterEach, describe, expect, test } from 'vitest';
import { verifies } from '../verifies.ts';
import { responseOf, statusOf } from './durable-documents.ts';
import { chain, RUN } from './durable.ts';
import { type HostedProject, hostedProject, isThere } from './hosted.ts';
import { nextCommands, PROGRAM, to } from './robosmith.ts';
import { isAlive } from '../../support/is-alive.ts';
import { until } from '../../support/until.ts';

let at: HostedProject;
afterEach(() => at.remove());

describe('host start, status and stop', () => {
  test('one host; it is found, told and stopped, and leaves nothing behind', async () => {
    verifies('cli.host');
    at = await hostedProject();
    expect(await at.host()).toBe(null);
    expect((await at.robosmith('host', 'status')).out).toBe('No engine host is running.\n');
    const status = await at.startHost();
    expect(status).toMatchObject({ running: [], waiting: [], due: null, stopping: false, root: at.folder });
    const again = await at.robosmith('host', 'start');
    expect([again.code, again.err]).toEqual([0, `✓ The engine host is already running: process ${status.pid}.\n`]);
    expect((await at.robosmith('host', 'status')).out).toContain(`process   ${status.pid}, RoboSmith`);
    if (process.platform !== 'win32') {
      expect(statSync(path.dirname(status.socket)).mode & 0o777).toBe(0o700);
      expect(statSync(status.socket.replace(/\.sock$/, '.token')).mode & 0o777).toBe(0o600);
    }
    const stopped = await at.robosmith('host', 'stop');
    expect([stopped.code, stopped.err]).toEqual([0, '✓ The engine host has stopped.\n']);
    await until(() => !isAlive(status.pid), 'the end of the host');
    const name = path.basename(status.socket, '.sock');
    expect(readdirSync(path.dirname(status.socket)).filter((one) => one.startsWith(name))).toEqual([]);
    expect((await at.robosmith('host', 'stop')).code).toBe(0);
  });

  test('without anything to do it ends by itself', async () => {
    verifies('engine.host.idle');
    at = await hostedProject();
    const { pid } = await at.startHost('--idle', '0.0005');
    await until(() => !isAlive(pid), 'the end of the host');
    expect(await at.host()).toBe(null);
  });

  test('stop waits for what is under way; --force does not, and it can be gone on with', async () => {
    verifies('cli.host');
    at = await hostedProject({ 'hold-B': '' });
    const run = await at.detach();
    const waits = await at.until(`Waiting for ${run}`, 'host', 'stop');
    const refused = await at.robosmith(...RUN, '--json');
    expect([refused.code, refused.err]).toEqual([1, expect.stringContaining('is stopping and starts nothing new')]);
    await at.unlink('hold-B');
    expect((await waits.ended).code).toBe(0);
    expect(statusOf(await at.newest())).toBe('completed');

    await at.write('hold-A', '');
    const second = await at.detach();
    const forced = await at.robosmith('host', 'stop', '--force', '--json');
    expect(JSON.parse(forced.out)).toEqual({ ok: true, stopped: true, interrupted: [second] });
    expect(statusOf(await at.newest())).toBe('interrupted');
    await at.unlink('hold-A');
    expect((await at.robosmith('resume', second)).code).toBe(0);
    expect((await at.ran()).slice(3)).toEqual(['A', 'A', 'B', 'C']);
  });
});

test('a host that can’t start says why, and what to do', async () => {
  verifies('cli.host');
  at = await hostedProject({ '.flow/runs': 'no folder' });
  const { code, err } = await at.robosmith('host', 'start');
  expect([code, err]).toEqual([
    1,
    expect.stringMatching(/host_failed {2}The engine host does not start\. Its last output: .*runs/),
  ]);
  expect((await at.robosmith('run', 'Main', '--in', '.', '--trust', '--detach')).code).toBe(1);
});

/**
 * File permissions don't restrict the superuser, so if the test runs as superuser, it starts the command as an
 * unprivileged user.
 */
const NOBODY = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};

test.skipIf(process.platform === 'win32')('nor can it where .flow may not be written: that is the reason', async () => {
  verifies('cli.host', 'cli.error.next-command-works');
  at = await hostedProject();
  chmodSync(path.dirname(at.folder), 0o755);
  chmodSync(at.folder, 0o755);
  chmodSync(at.file('.flow'), 0o555);
  const { exitCode, stderr } = await execa(process.execPath, [PROGRAM, 'host', 'start'], {
    ...NOBODY,
    cwd: at.folder,
    env: { HOME: at.folder, NO_COLOR: '1', ROBOSMITH_CONFIG_DIR: at.file('config') },
    reject: false,
  });
  chmodSync(at.file('.flow'), 0o755);
  expect([exitCode, stderr]).toEqual([
    1,
    expect.stringMatching(
      /host_failed {2}The engine host does not start\. The state in \.flow can't be written: EACCES: [\s\S]*robosmith host start --foreground/,
    ),
  ]);
});

describe('runs in the host', () => {
  test('--detach: the run outlives the command that started it, and every way back works', async () => {
    verifies('cli.run.detach', 'engine.host.outlives-windows', 'cli.error.next-command-works');
    at = await hostedProject({ 'hold-B': '' });
    const started = await at.robosmith(...RUN, '--detach');
    expect(started.code).toBe(0);
    const { pid } = (await at.host()) ?? { pid: 0 };
    const [run = ''] = /\br[0-9a-f]{12}\b/.exec(started.err) ?? [];
    expect(started.err).toContain(`detached  ${run} continues in the engine host, process ${pid}.`);
    const ways = nextCommands(started.err);
    expect(ways).toContainEqual(['runs', 'show', run]);
    expect(ways).toContainEqual(['inbox']);
    expect((await at.robosmith('runs', 'show', run)).code).toBe(0);
    const back = await at.until(`${run} · resumed`, 'resume', run);
    await at.unlink('hold-B');
    const { code, err } = await back.ended;
    expect([code, err]).toEqual([0, expect.stringContaining('✓ Completed in 3 steps')]);
    expect(await at.ran()).toEqual(['A', 'B', 'C']);
  });

  test('with a live host, run goes there: several at once, with their progress, halts and exit codes', async () => {
    verifies('engine.host.busy');
    at = await hostedProject({ 'hold-A': '', 'fail-C': '' });
    const { pid } = await at.startHost();
    const both = [await at.until('Main', ...RUN, '--json'), await at.until('Main', ...RUN, '--json')];
    await until(async () => (await at.host())?.running.length === 2, 'two runs under way');
    await at.unlink('hold-A');
    for (const { ended } of both) {
      const { code, out, err } = await ended;
      const { reason, path: taken, details } = responseOf(out);
      expect([code, reason, taken.length]).toEqual([3, 'halted', 3]);
      expect(details['halts']).toMatchObject([{ block: 'Main__C', answers: expect.any(Array) as unknown }]);
      expect(err).toMatch(/✓ A {2}SUCCESS[^]*✓ B {2}SUCCESS[^]*✗ C {2}FAILURE/);
    }
    expect((await at.robosmith('inbox')).out).toContain('2 items wait for you.');
    await at.unlink('fail-C');
    const answered = await at.robosmith('resume', (await at.newest()).run, '--retry');
    expect([answered.code, answered.err]).toEqual([0, expect.stringContaining('answered: retry')]);
    const host = await at.host();
    expect([host?.pid, host?.waiting.length]).toEqual([pid, 1]);
  });

  test.skipIf(process.platform === 'win32')('Ctrl-C stops the own run, and leaves one of another command', async () => {
    verifies('engine.host.detaches');
    at = await hostedProject({ 'hold-B': '' });
    await at.startHost();
    const own = await at.until('A  SUCCESS', ...RUN);
    own.signal('SIGINT');
    const stopped = await own.ended;
    expect([stopped.code, stopped.err]).toEqual([0, expect.stringContaining('■ interrupted')]);
    const run = await at.detach();
    const client = await at.until('resumed', 'resume', run);
    client.signal('SIGINT');
    const { code, err } = await client.ended;
    expect([code, err]).toEqual([0, expect.stringMatching(/detached {2}r[0-9a-f]{12} continues in the engine host/)]);
    expect((await at.host())?.running).toEqual([run]);
    const back = await at.until('resumed', 'resume', run);
    await at.unlink('hold-B');
    expect((await back.ended).code).toBe(0);
    expect((await at.ran()).slice(-3)).toEqual(['A', 'B', 'C']);
  });

  test('stop, pause and cancel reach it', async () => {
    verifies('cli.runs');
    at = await hostedProject({ 'hold-A': '' });
    const [one, two, three] = [await at.detach(), await at.detach(), await at.detach()];
    expect((await at.robosmith('runs', 'stop', one)).err).toContain(`${one} is interrupted.`);
    expect((await at.robosmith('runs', 'cancel', two)).err).toContain(`${two} is cancelled.`);
    expect((await at.robosmith('runs', 'pause', three)).err).toContain('pauses after the current step');
    await at.unlink('hold-A');
    await until(async () => (await at.host())?.running.length === 0, 'the pause');
    expect((await at.runs()).map(statusOf)).toEqual(['paused', 'cancelled', 'interrupted']);
  });

  test('today’s manifest is taken over where it was asked for, and what does not fit is refused', async () => {
    at = await hostedProject({ 'fail-C': '' });
    await at.startHost();
    expect((await at.robosmith(...RUN)).code).toBe(3);
    await at.unlink('fail-C');
    await at.write(
      '.vision/workflows.json',
      chain({ blocks: { D: { worker: 'Worker:A', transitions: [to('SUCCESS', 'RETURN')] } } }),
    );
    const gone = await at.robosmith('resume', '--next', '--manifest', 'new');
    expect([gone.code, gone.err]).toEqual([0, expect.stringContaining('✓ D  SUCCESS')]);
    expect(await at.ran()).toEqual(['A', 'B', 'C', 'A']);
  });
});

describe('commands about stored state', () => {
  test('are done by a host, whether it is idle or busy', async () => {
    verifies('engine.host.busy');
    at = await hostedProject({ 'fail-C': '' });
    const { pid } = await at.startHost();
    expect((await at.robosmith(...RUN)).code).toBe(3);
    expect((await at.robosmith('tasks', 'add', 'Write it')).code).toBe(0);
    await at.write('hold-A', '');
    await at.detach();
    const added = await at.robosmith('tasks', 'add', 'Write more');
    expect([added.code, added.err]).toEqual([0, '✓ Added  2 [ ] Write more\n']);
    expect((await at.robosmith('tasks', 'accept')).code).toBe(0);
    expect((await at.robosmith('runs', 'prune', '--keep', '1')).code).toBe(0);
    expect((await at.host())?.pid).toBe(pid);
    await at.unlink('hold-A');
  });
});

test('its log is bounded, whatever modules print into it', async () => {
  verifies('engine.host.log');
  const loud = `export const Loud = { sideEffects: 'none', execute: async () => {
    for (let n = 0; n < 4000; n += 1) process.stdout.write('x'.repeat(1000) + n + '\\n');
    return { signal: 'SIGNAL:SUCCESS' };
  } };`;
  const manifest = {
    version: 1,
    entry: 'Main',
    nodes: { Main: { entry_block: 'A', blocks: { A: { worker: 'loud', transitions: [to('SUCCESS', 'RETURN')] } } } },
  };
  at = await hostedProject({
    '.vision/workflows.json': manifest,
    '.flow/flow.registry.json': { loud: './loud.mjs#Loud' },
    'loud.mjs': loud,
  });
  await at.startHost();
  expect((await at.robosmith(...RUN)).code).toBe(0);
  // The output of a module may arrive after the result of its execution.
  const log = (): string => {
    try {
      return readFileSync(at.file('.flow/logs/host.log'), 'utf8');
    } catch {
      // A full log is renamed before the next one is created. In between, the file doesn't exist.
      return '';
    }
  };
  await until(() => log().includes('3999\n') && isThere(at.file('.flow/logs/host.log.1')), 'the end of the output');
  const sizes = ['host.log', 'host.log.1'].map((name) => statSync(at.file(`.flow/logs/${name}`)).size);
  expect(Math.max(...sizes)).toBeLessThanOrEqual(256 * 1_024);
  expect(isThere(at.file('.flow/logs/host.log.2'))).toBe(false);

  // A module is loaded once, but a long-lived host must notice that it has changed.
  await at.write('loud.mjs', loud.replace('SIGNAL:SUCCESS', 'SIGNAL:ERROR'));
  expect((await at.robosmith(...RUN)).code).toBe(1);
});
