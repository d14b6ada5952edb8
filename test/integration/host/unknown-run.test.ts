import { afterEach, expect, test } from 'vitest';
import type { RunId } from '#protocol/id.ts';
import { type HostBench, hostBench } from './host-bench.ts';

let at: HostBench;
afterEach(() => at.remove());

test.each(['run.settled', 'run.show', 'run.stop', 'run.pause', 'run.cancel'] as const)(
  '%s of a run that there is not says so',
  async (method) => {
    at = hostBench();
    await at.serve();
    const client = await at.client();
    await expect(client.call(method, { run: 'rabc' as RunId })).rejects.toMatchObject({
      code: 'usage',
      message: 'There is no run "rabc".',
      data: { next: ['robosmith runs'] },
    });
  },
);
