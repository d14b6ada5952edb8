import { setTimeout } from 'node:timers/promises';
import { afterEach, expect, test } from 'vitest';
import { verifies } from '../verifies.ts';
import { statusOf } from './durable-documents.ts';
import { RUN } from './durable.ts';
import { type HostedProject, hostedProject, isThere, killHard } from './hosted.ts';
import { nextCommands } from './robosmith.ts';
import { until } from '../../support/until.ts';

let at: HostedProject;
afterEach(() => at.remove());

const underWay = async (name: string): Promise<string> => {
  const run = await at.detach();
  await until(async () => (await at.ran()).at(-1) === name, `block ${name}`);
  return run;
};

test('a killed host: its clients hear of it, and the run goes on where it was when it is asked for', async () => {
  verifies('engine.host.kill');
  at = await hostedProject({ 'hold-B': '' });
  const { pid, socket } = await at.startHost();
  const client = await at.until('A  SUCCESS', ...RUN);
  await until(async () => (await at.ran()).length === 2, 'block B');
  await killHard(pid);
  const { code, err } = await client.ended;
  expect([code, err]).toEqual([1, expect.stringContaining('host_failed  The connection to the engine host was lost')]);
  expect(nextCommands(err)).toEqual([['resume'], ['runs']]);
  expect((await at.robosmith('host', 'status')).out).toBe('No engine host is running.\n');
  const { run } = await at.newest();
  expect(statusOf(await at.newest())).toBe('interrupted');
  expect((await at.robosmith('inbox')).out).toBe(
    `Nothing waits for you.\n1 run was interrupted and can be resumed: robosmith resume ${run}\n`,
  );

  // The next host removes the files left by the killed one. No run resumes by itself.
  const next = await at.startHost();
  if (process.platform !== 'win32') expect([isThere(socket), isThere(next.socket)]).toEqual([false, true]);
  expect([next.running, statusOf(await at.newest())]).toEqual([[], 'interrupted']);
  await at.unlink('hold-B');
  const resumed = await at.robosmith('resume');
  expect([resumed.code, resumed.err]).toEqual([0, expect.stringContaining(run)]);
  expect(await at.ran()).toEqual(['A', 'B', 'B', 'C']);
});

test('a killed client: the run goes on', async () => {
  verifies('engine.host.kill');
  at = await hostedProject({ 'hold-B': '' });
  await at.startHost();
  const client = await at.until('A  SUCCESS', ...RUN);
  await killHard(client.pid);
  await at.unlink('hold-B');
  await until(async () => statusOf(await at.newest()) === 'completed', 'the end of the run');
  expect(await at.ran()).toEqual(['A', 'B', 'C']);
  expect((await at.host())?.clients).toBe(1);
});

test('host and client killed, in either order: without a host the run goes on in a process of its own', async () => {
  verifies('engine.host.kill');
  for (const first of ['host', 'client']) {
    at = await hostedProject({ 'hold-B': '' });
    const { pid } = await at.startHost();
    const client = await at.until('A  SUCCESS', ...RUN);
    await until(async () => (await at.ran()).length === 2, 'block B');
    for (const one of first === 'host' ? [pid, client.pid] : [client.pid, pid]) await killHard(one);
    await client.ended;
    await at.unlink('hold-B');
    expect((await at.robosmith('resume')).code).toBe(0);
    expect(await at.ran()).toEqual(['A', 'B', 'B', 'C']);
    expect(await at.host()).toBe(null);
    if (first === 'host') await at.remove();
  }
});

test(
  'killed at random moments, again and again: each block ends once, and nothing is lost',
  { timeout: 0 },
  async () => {
    verifies('engine.host.kill');
    at = await hostedProject();
    const run = await (async () => {
      await at.write('hold-C', '');
      return underWay('C');
    })();
    const kills = Number(process.env['ROBOSMITH_HOST_KILLS'] ?? 3);
    for (let round = 0; round < kills; round += 1) {
      const host = await at.host();
      if (host !== null) await killHard(host.pid);
      await at.startHost();
      const going = await at.until('resumed', 'resume', run);
      await setTimeout(Math.random() * 50);
      await killHard(going.pid);
      await going.ended;
    }
    await at.unlink('hold-C');
    await until(async () => ['completed', 'interrupted'].includes(statusOf(await at.newest())), 'rest');
    if (statusOf(await at.newest()) === 'interrupted') expect((await at.robosmith('resume', run)).code).toBe(0);
    const ran = await at.ran();
    expect([ran.slice(0, 2), new Set(ran.slice(2))]).toEqual([['A', 'B'], new Set(['C'])]);
  },
);

test('several hosts at once: one owns the project, and all clients come to that one', async () => {
  verifies('engine.host.one');
  at = await hostedProject({ 'hold-A': '' });
  const all = await Promise.all(Array.from({ length: 4 }, () => at.robosmith(...RUN, '--detach')));
  expect(all.map(({ code }) => code)).toEqual([0, 0, 0, 0]);
  const pids = new Set(all.map(({ err }) => /process (\d+)/.exec(err)?.[1]));
  const host = await at.host();
  expect([...pids]).toEqual([String(host?.pid)]);
  expect(host?.running.length).toBe(4);
  await at.unlink('hold-A');
});

test('a stale socket, and one that somebody else has put there, are not believed', async () => {
  verifies('engine.host.private');
  at = await hostedProject();
  const { pid, socket } = await at.startHost();
  await killHard(pid);
  const next = await at.startHost();
  expect(next.socket).not.toBe(socket);
  if (process.platform === 'win32') return;
  // A malicious project could contain such a lock, which names a live process and the project's own socket.
  const owner = JSON.parse(await at.read('.flow/engine.lock/2.json')) as object;
  await at.write('.flow/engine.lock/3.json', { ...owner, socket: at.file('evil.sock') });
  const { code, err } = await at.robosmith('host', 'status');
  expect([code, err]).toEqual([2, expect.stringContaining('host_denied')]);
});
