import { readFileSync } from 'node:fs';
import { afterEach, expect, test } from 'vitest';
import type { HostMethod } from '#protocol/host.ts';
import { rawClient } from '../../e2e/cli/raw-client.ts';
import { type HostBench, hostBench } from './host-bench.ts';

let at: HostBench;
afterEach(() => at.remove());

test('whatever a host refuses, it names a command that goes on from there', async () => {
  at = hostBench();
  const { status } = await at.serve();
  const { socket } = status();
  const token = readFileSync(socket.replace(/\.sock$/, '.token'), 'utf8');
  const client = await rawClient(socket);
  await client.hello(token);
  const stranger = await rawClient(socket);
  const start = { start: { node: 'Main' }, directory: at.root, manifest: at.file('.vision/workflows.json') };
  const run = 'r000000000000';
  const refused = [
    await stranger.ask('status'),
    await client.hello(token),
    ...(await Promise.all([
      client.ask('nonsense'),
      client.ask('run.cancel', { run }),
      client.ask('run.show', { run }),
      client.ask('run.resume', { run }),
      client.ask('run.start', { ...start, directory: at.file('work.mjs') }),
      client.ask('run.start', { ...start, manifest: at.file('none.json') }),
      client.ask('run.start', { ...start, start: { node: 'Other' } }),
      client.ask('run.start', { ...start, script: { name: 'a.json', text: '{"answers":1}' } }),
    ])),
  ];
  const answers = refused.map(({ error }) => error?.data as { readonly data?: { readonly next?: readonly string[] } });
  for (const one of answers) expect(one.data?.next?.[0]).toMatch(/^robosmith /);
  client.close();
  stranger.close();
});

test('what is too large for a host is not sent there', async () => {
  at = hostBench();
  await at.serve();
  const client = await at.client();
  const guidance = 'ä'.repeat(5_000_000);
  const call = (method: HostMethod): Promise<unknown> => client.call(method, { run: 'r1', guidance } as never);
  await expect(call('run.resume')).rejects.toThrow(
    /^run\.resume has 10000\d{3} bytes; the engine host accepts 8388608/,
  );
  expect(await client.call('status', {})).toMatchObject({ pid: process.pid });
});
