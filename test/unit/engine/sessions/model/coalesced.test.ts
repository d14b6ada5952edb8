import { expect, test } from 'vitest';
import { coalesced } from '#engine/sessions/model/concurrency.ts';

test('one is under way at most, and who asks meanwhile gets one that begins after it', async () => {
  const begun: PromiseWithResolvers<undefined>[] = [];
  const look = coalesced(async () => {
    const work = Promise.withResolvers<undefined>();
    begun.push(work);
    await work.promise;
  });
  const first = look();
  const [second, third] = [look(), look()];
  expect(begun).toHaveLength(1);
  expect(third).toBe(second);
  begun[0]?.reject(new Error('it failed'));
  await expect(first).rejects.toThrow('it failed');
  await expect.poll(() => begun.length).toBe(2);
  const fourth = look();
  expect(fourth).not.toBe(second);
  begun[1]?.resolve(undefined);
  await second;
  await expect.poll(() => begun.length).toBe(3);
  begun[2]?.resolve(undefined);
  await fourth;
  expect(begun).toHaveLength(3);
});

test('who asks again as soon as one is over gets the one that others wait for, and none beside it', async () => {
  const begun: PromiseWithResolvers<undefined>[] = [];
  let [underWay, most] = [0, 0];
  const look = coalesced(async () => {
    const work = Promise.withResolvers<undefined>();
    begun.push(work);
    most = Math.max(most, (underWay += 1));
    await work.promise;
    underWay -= 1;
  });
  const again = look().then(look);
  const waiting = look();
  begun[0]?.resolve(undefined);
  await expect.poll(() => begun.length).toBe(2);
  for (const { resolve } of begun) resolve(undefined);
  await Promise.all([again, waiting]);
  expect([begun.length, most]).toEqual([2, 1]);
});
