import { expect, test } from 'vitest';
import { createStartQueue } from '#io/process/start-queue.ts';

test('one a turn, in the order in which they ask; a free turn is not waited for', async () => {
  const turns: (() => void)[] = [];
  const ask = createStartQueue((work) => void turns.push(work));
  const heard: string[] = [];
  const asks = (name: string): void => void ask()?.then(() => heard.push(name));
  const turn = async (): Promise<void> => {
    for (const work of turns.splice(0)) work();
    await Promise.resolve();
  };
  expect(ask()).toBe(null);
  for (const name of ['first', 'second']) asks(name);
  await turn();
  expect(heard).toEqual(['first']);
  asks('third');
  for (const count of [2, 3]) {
    await turn();
    expect(heard).toHaveLength(count);
  }
  expect(heard).toEqual(['first', 'second', 'third']);
  await turn();
  expect(turns).toEqual([]);
  expect(ask()).toBe(null);
});
