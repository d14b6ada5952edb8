import { afterEach, expect, test } from 'vitest';
import { RUN } from './durable.ts';
import { type HostedProject, hostedProject } from './hosted.ts';

let at: HostedProject;
afterEach(() => at.remove());

test.skipIf(process.platform === 'win32')('a host in the foreground serves other terminals until Ctrl-C', async () => {
  at = await hostedProject();
  const host = await at.until('is running, process', 'host', 'start', '--foreground');
  expect((await at.robosmith(...RUN)).code).toBe(0);
  expect((await at.host())?.pid).toBe(host.pid);
  host.signal('SIGINT');
  const { code, err } = await host.ended;
  expect([code, err]).toEqual([0, expect.stringContaining('the engine host has stopped')]);
});
