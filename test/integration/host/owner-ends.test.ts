import { afterEach, expect, test } from 'vitest';
import { connectHost } from '#host/client/index.ts';
import { type HostBench, hostBench } from './host-bench.ts';

let at: HostBench;
afterEach(() => at.remove());

test('a host that ends before it has taken the keys: the client connects to the next one, with its keys', async () => {
  at = hostBench();
  const first = await at.serve({ version: 'first' });
  let offers = 0;
  const found = await connectHost(at.root, {
    environment: at.environment,
    client: 'test',
    keys: async () => {
      offers += 1;
      if (offers === 1) {
        await first.stop();
        await at.serve({ version: 'second' });
      }
      return { environment: {}, secrets: { first: 'sk-5d1f0c9e7b2a4638d0c7' } };
    },
  });
  if (found.kind !== 'connected') throw new Error(`no host answers: ${found.kind}`);
  expect([found.client.about.version, offers]).toEqual(['second', 2]);
  found.client.close();
});
