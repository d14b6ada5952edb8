import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createHostLink } from '#host/client/host-link.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

test('a lost host is looked for after pauses that grow up to 5 s, and no more once the link is closed', async () => {
  const tries: number[] = [];
  const began = Date.now();
  const link = createHostLink({
    connect: () => {
      tries.push(Date.now() - began);
      return Promise.reject(new Error('nobody is there'));
    },
    now: () => 0,
  });
  await expect(link.reach()).rejects.toThrow('nobody is there');
  await vi.advanceTimersByTimeAsync(20_000);
  expect(tries).toEqual([0, 250, 750, 1_750, 3_750, 7_750, 12_750, 17_750]);
  expect(link.state()).toMatchObject({ kind: 'lost', why: 'nobody is there' });
  link.close();
  await vi.advanceTimersByTimeAsync(60_000);
  expect(tries).toHaveLength(8);
});
