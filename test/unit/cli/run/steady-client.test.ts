import { expect, test } from 'vitest';
import { type ReachedEngine, steadyClient } from '#cli/run/steady-client.ts';
import { RoboSmithError } from '#protocol/error.ts';
import type { HostClient } from '#protocol/host-client.ts';

const about = { protocol: 1, version: '0.0.9', pid: 7, root: '/p', since: 1 };

/** Returns an owner of the engine that answers each request with the error, or with its name. */
function owner(name: string, error: RoboSmithError | null, asked: string[]): ReachedEngine {
  const call = (method: string): Promise<unknown> => {
    asked.push(`${name} ${method}`);
    return error === null ? Promise.resolve({ name }) : Promise.reject(error);
  };
  const client = { about, call, on: () => () => undefined, gone: Promise.resolve(), close: () => undefined };
  return { client: client as unknown as HostClient, leave: () => Promise.resolve(null) };
}

const steady = (error: RoboSmithError, asked: string[]): HostClient =>
  steadyClient(owner('first', error, asked), () => Promise.resolve(owner('next', null, asked))).client;

test.each([{ stopping: true }, { unsent: true }])(
  'a request that was not taken goes to the next owner: %j',
  async (data) => {
    const asked: string[] = [];
    const client = steady(new RoboSmithError('host_failed', 'over', data), asked);
    expect(await client.call('run.list', {})).toEqual({ name: 'next' });
    expect(asked).toEqual(['first run.list', 'next run.list']);
  },
);

test('a request that may have begun is never sent again', async () => {
  const asked: string[] = [];
  const client = steady(new RoboSmithError('host_failed', 'The connection was lost.'), asked);
  await expect(client.call('run.list', {})).rejects.toMatchObject({ code: 'host_failed' });
  expect(asked).toEqual(['first run.list']);
});

test('an older host that lacks a method is named, with the command that ends it', async () => {
  const client = steady(new RoboSmithError('usage', 'There is no method "tasks.edit".'), []);
  const asked = client.call('tasks.edit', { edit: { kind: 'zoom_out' }, pid: 1 });
  await expect(asked).rejects.toMatchObject({ code: 'host_version', data: { next: ['robosmith host stop'] } });
});
