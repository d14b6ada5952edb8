import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { afterEach, expect, test } from 'vitest';
import { type HostBench, hostBench } from './host-bench.ts';

let at: HostBench;
afterEach(() => at.remove());

async function collectGarbage(): Promise<void> {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  for (let turns = 0; turns < 5; turns += 1) {
    await new Promise(setImmediate);
    collect();
  }
}

test('a connection that stays holds no answer that it has given', async () => {
  at = hostBench();
  await at.serve();
  const client = await at.client();
  const answers: WeakRef<object>[] = [];
  for (let asked = 0; asked < 20; asked += 1) answers.push(new WeakRef(await client.call('status', {})));
  await collectGarbage();
  const held = answers.filter((answer) => answer.deref() !== undefined).length;
  // A local variable may still refer to the last answers.
  expect(held).toBeLessThan(5);
  expect((await client.call('status', {})).clients).toBe(1);
});

test('what is asked when the host goes away hears that it has', async () => {
  at = hostBench({ 'hold-A': '' });
  const host = await at.serve();
  const client = await at.client();
  const run = await at.start(client);
  const asked = [client.call('run.settled', { run }), client.call('run.settled', { run })];
  client.close();
  for (const one of await Promise.allSettled(asked))
    expect(one).toMatchObject({ status: 'rejected', reason: { code: 'host_failed' } });
  await expect(client.call('status', {})).rejects.toMatchObject({ code: 'host_failed' });
  await host.stop();
});
