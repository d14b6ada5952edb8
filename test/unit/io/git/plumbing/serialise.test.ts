import { expect, test } from 'vitest';
import { createSerialiser } from '#io/files/serialise.ts';

test('one at a time in the order of asking, and one that fails stops nobody behind it', async () => {
  const serialise = createSerialiser();
  const order: string[] = [];
  const work = (name: string, fails: boolean) => async (): Promise<string> => {
    order.push(`${name} begins`);
    await Promise.resolve();
    order.push(`${name} ends`);
    if (fails) throw new Error(name);
    return name;
  };
  const ends = await Promise.allSettled([
    serialise(work('one', false)),
    serialise(work('two', true)),
    serialise(work('three', false)),
  ]);
  expect(ends.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
  expect(order).toEqual(['one', 'two', 'three'].flatMap((name) => [`${name} begins`, `${name} ends`]));
});
