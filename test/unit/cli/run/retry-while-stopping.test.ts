import { expect, test } from 'vitest';
import { retryWhileStopping } from '#cli/run/retry-while-stopping.ts';
import { RoboSmithError } from '#protocol/error.ts';

const stopping = (): RoboSmithError => new RoboSmithError('host_failed', 'it is about to stop', { stopping: true });

test('a host that never comes to its end is asked twenty times', async () => {
  let asked = 0;
  const work = (): Promise<never> => {
    asked += 1;
    return Promise.reject(stopping());
  };
  await expect(retryWhileStopping(work)).rejects.toThrow('it is about to stop');
  expect(asked).toBe(20);
});

test('any other failure is asked about once', async () => {
  let asked = 0;
  const work = (): Promise<never> => {
    asked += 1;
    return Promise.reject(new Error('no'));
  };
  await expect(retryWhileStopping(work)).rejects.toThrow('no');
  expect(asked).toBe(1);
});
