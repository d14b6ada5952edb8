import { afterEach, describe, expect, test } from 'vitest';
import { type HostClient, remoteRun } from '#host/client/index.ts';
import { RoboSmithError } from '#protocol/error.ts';
import type { RunId } from '#protocol/id.ts';
import { type HostBench, hostBench } from '../host-bench.ts';

describe('with an event log that can’t be written', () => {
  let at: HostBench;
  afterEach(() => at.remove());

  const begin = async (files: Readonly<Record<string, string>> = {}) => {
    at = hostBench({ '.flow/logs/events.jsonl/.keep': '', ...files });
    await at.serve();
    const client = await at.client();
    return { client, run: await at.start(client), warnings: [] as string[] };
  };

  test('a run that ended before anybody listened is told to have ended, and that its events are missing', async () => {
    const { client, run, warnings } = await begin();
    const { seq } = await client.call('run.settled', { run });
    const followed = await remoteRun(client, run, 0, (message) => warnings.push(message));
    expect((await followed.settled()).success).toBe(true);
    expect(warnings).toEqual([expect.stringContaining(`${seq} events of ${run} were lost`)]);
    expect((await followed.settled()).success).toBe(true);
    expect(warnings).toHaveLength(1);
  });

  test('a run that is listened to is told whole', async () => {
    const { client, run, warnings } = await begin({ 'hold-A': '' });
    const followed = await remoteRun(client, run, 0, (message) => warnings.push(message));
    const types: string[] = [];
    followed.subscribe(({ type }) => types.push(type));
    at.unlink('hold-A');
    expect((await followed.settled()).success).toBe(true);
    expect([types.at(-1), warnings]).toEqual(['run.finished', []]);
  });
});

test('two runs are followed over one connection', async () => {
  const at = hostBench({ 'hold-A': '' });
  try {
    await at.serve();
    const client = await at.client();
    const runs = [await at.start(client), await at.start(client)];
    const ends: RunId[] = [];
    const followed = await Promise.all(runs.map((run) => remoteRun(client, run, 0, () => undefined)));
    for (const run of followed)
      run.subscribe(({ type, run_id }) => {
        if (type === 'run.finished') ends.push(run_id);
      });
    at.unlink('hold-A');
    await Promise.all(followed.map((run) => run.settled()));
    expect(ends.toSorted()).toEqual(runs.toSorted());
  } finally {
    await at.remove();
  }
});

test('a run that began before anybody listened is told from its first event', async () => {
  const at = hostBench({ 'hold-A': '' });
  try {
    await at.serve();
    const client = await at.client();
    const run = await at.start(client);
    const followed = await remoteRun(client, run, 0, () => undefined);
    // When this answer arrives, all earlier events of the host have arrived as well.
    await client.call('status', {});
    const seen: number[] = [];
    followed.subscribe(({ seq }) => seen.push(seq));
    at.unlink('hold-A');
    await followed.settled();
    expect(seen).toEqual(seen.map((_, index) => index + 1));
    expect(seen).not.toEqual([]);
  } finally {
    await at.remove();
  }
});

test('who can’t listen again is told so', async () => {
  const run = 'r1' as RunId;
  const broken = new RoboSmithError('io', 'it can’t be read');
  let subscribed = 0;
  let end: (ended: { readonly subscription: number }) => void = () => undefined;
  const client = {
    gone: new Promise(() => undefined),
    on: (name: string, listener: typeof end) => {
      if (name === 'events.ended') end = listener;
    },
    call: (method: string) => {
      if (method !== 'events.subscribe') return new Promise(() => undefined);
      subscribed += 1;
      return subscribed === 1 ? Promise.resolve({ subscription: 7 }) : Promise.reject(broken);
    },
  } as unknown as HostClient;
  const followed = await remoteRun(client, run, 0, () => undefined);
  const settled = followed.settled();
  end({ subscription: 7 });
  await expect(settled).rejects.toBe(broken);
});

test('a host that goes away once it has said how the run settled has said all', async () => {
  const run = 'r1' as RunId;
  const gone = Promise.withResolvers<undefined>();
  const response = { reason: 'halted', details: { halts: [{ halt_id: 'h1' }] } };
  const client = {
    gone: gone.promise,
    on: () => undefined,
    call: (method: string) => {
      if (method === 'events.subscribe') return Promise.resolve({ subscription: 7 });
      if (method === 'run.settled') return Promise.resolve({ response, seq: 3 });
      gone.resolve(undefined);
      return new Promise(() => undefined);
    },
  } as unknown as HostClient;
  const warnings: string[] = [];
  const followed = await remoteRun(client, run, 0, (message) => warnings.push(message));
  expect(await followed.settled()).toBe(response);
  expect(followed.halts()).toEqual([{ halt_id: 'h1' }]);
  expect(warnings).toEqual([
    '3 events of r1 were lost: the engine host has stopped. See robosmith runs show r1 for what it did.',
  ]);
});
