import { expect, test } from 'vitest';
import { createFence } from '#engine/open/fence.ts';
import type { FileCalls } from '#protocol/file-calls.ts';

const CHANGES = ['open', 'write', 'truncate', 'rename', 'link', 'remove', 'removeFolder', 'makeFolder'];

test('who has given up the state changes no file of it any more, by whatever call', () => {
  const made: string[] = [];
  const calls = new Proxy({} as FileCalls, {
    get: (_target, name) => () => void made.push(String(name)),
    has: () => true,
    ownKeys: () => [...CHANGES, 'read', 'sync', 'close'],
    getOwnPropertyDescriptor: () => ({ enumerable: true, configurable: true }),
  });
  const fence = createFence(calls);
  const all = fence.calls as unknown as Readonly<Record<string, () => void>>;
  for (const name of CHANGES) all[name]?.();
  expect(made.splice(0)).toEqual(CHANGES);
  fence.shut();
  for (const name of CHANGES) expect(() => all[name]?.()).toThrow('no longer owns the engine of the project');
  for (const name of ['read', 'sync', 'close']) all[name]?.();
  expect(made).toEqual(['read', 'sync', 'close']);
});
