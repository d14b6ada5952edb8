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
  const fence = createFence(calls, () => true);
  const all = fence.calls as unknown as Readonly<Record<string, () => void>>;
  for (const name of CHANGES) all[name]?.();
  expect(made.splice(0)).toEqual(CHANGES);
  fence.shut();
  for (const name of CHANGES) expect(() => all[name]?.()).toThrow('no longer owns the engine of the project');
  for (const name of ['read', 'sync', 'close']) all[name]?.();
  expect(made).toEqual(['read', 'sync', 'close']);
});

test('who has lost the lock replaces no file, and then changes none at all', () => {
  const made: string[] = [];
  const state = { isHeld: true };
  const calls = {
    rename: (from: string) => void made.push(from),
    write: () => made.push('write'),
  } as unknown as FileCalls;
  const fence = createFence(calls, () => state.isHeld);
  fence.calls.rename('1', 'list');
  expect(fence.isOwner()).toBe(true);
  state.isHeld = false;
  expect(() => fence.calls.rename('2', 'list')).toThrow('no longer owns the engine of the project');
  state.isHeld = true;
  expect(() => fence.calls.write(1, Buffer.from(''))).toThrow('no longer owns the engine of the project');
  expect([made, fence.isOwner()]).toEqual([['1'], false]);
});
