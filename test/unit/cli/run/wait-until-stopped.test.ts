import { expect, test } from 'vitest';
import { waitUntilStopped } from '#cli/run/wait-until-stopped.ts';
import type { RunStatus } from '#protocol/journal.ts';

/** Returns the final status, the virtual time that passed, and the number of reads. */
async function waited(statuses: readonly RunStatus[]): Promise<readonly [RunStatus, number, number]> {
  let time = 0;
  let reads = 0;
  const timing = {
    now: () => time,
    sleep: (ms: number) => {
      time += ms;
      return Promise.resolve();
    },
  };
  const status = await waitUntilStopped(() => statuses[Math.min(reads++, statuses.length - 1)] ?? 'running', timing);
  return [status, time, reads];
}

test('a stop is waited for, polled every 50 ms', async () => {
  expect(await waited(['running', 'halted', 'interrupted'])).toEqual(['interrupted', 100, 3]);
  expect(await waited(['cancelled'])).toEqual(['cancelled', 0, 1]);
});

test('a run that does not stop is reported as it is after 8 s', async () => {
  expect(await waited(['running'])).toEqual(['running', 8_050, 162]);
});
