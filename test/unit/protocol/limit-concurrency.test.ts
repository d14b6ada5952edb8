import { expect, test } from 'vitest';
import { limitConcurrency } from '#protocol/limit-concurrency.ts';

test('all of them, in their order, and never more at a time than may be', async () => {
  let underWay = 0;
  let most = 0;
  const results = await limitConcurrency([5, 4, 3, 2, 1, 0], 2, async (turns) => {
    underWay += 1;
    most = Math.max(most, underWay);
    for (let turn = 0; turn < turns; turn += 1) await Promise.resolve();
    underWay -= 1;
    return turns * 10;
  });
  expect([results, most]).toEqual([[50, 40, 30, 20, 10, 0], 2]);
});

test('nothing to do', async () => {
  expect(await limitConcurrency([], 4, () => Promise.reject(new Error('nobody asked')))).toEqual([]);
});

test('the first failure is told', async () => {
  await expect(limitConcurrency([1, 2], 1, () => Promise.reject(new Error('no')))).rejects.toThrow('no');
});
