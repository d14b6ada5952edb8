import { once } from 'node:events';
import { createServer } from 'node:net';
import { expect, test } from 'vitest';
import { findFreePorts } from '#io/git/worktrees/find-free-ports.ts';
import { verifies } from '../../../../e2e/verifies.ts';

async function listening(port: number, host = '127.0.0.1') {
  const server = createServer();
  server.listen({ port, host });
  await once(server, 'listening');
  return server;
}

test('blocks that are handed out one after the other do not overlap', async () => {
  verifies('worktrees.git.ports');
  const taken: { first: number; count: number }[] = [];
  for (const count of [3, 1, 5, 2]) {
    const found = await findFreePorts(count, taken);
    if (found.kind === 'refused') throw new Error(found.message);
    taken.push({ first: found.first, count: found.count });
  }
  const all = taken.flatMap(({ first, count }) => Array.from({ length: count }, (_, index) => first + index));
  expect(new Set(all).size).toBe(11);
  expect(Math.min(...all)).toBeGreaterThanOrEqual(20_000);
  expect(Math.max(...all)).toBeLessThan(32_768);
});

test.each(['127.0.0.1', '0.0.0.0'])('a port that somebody listens on, at %s, is stepped over', async (host) => {
  const found = await findFreePorts(3, []);
  if (found.kind === 'refused') throw new Error(found.message);
  const server = await listening(found.first + 1, host);
  const second = await findFreePorts(3, [], { first: found.first, last: found.first + 2 });
  const third = await findFreePorts(2, [], { first: found.first, last: 32_767 });
  server.close();
  await once(server, 'close');
  expect(second).toMatchObject({ kind: 'refused', why: 'no_ports' });
  expect(third.kind === 'free' && third.first > found.first + 1).toBe(true);
});

test('others’ blocks count though nobody listens; a range that is full is said', async () => {
  const range = { first: 20_100, last: 20_109 };
  const none = await findFreePorts(
    4,
    [
      { first: 20_095, count: 8 },
      { first: 20_105, count: 3 },
    ],
    range,
  );
  expect(none).toEqual({
    kind: 'refused',
    why: 'no_ports',
    message: expect.stringContaining('No 4 consecutive ports are free between 20100 and 20109') as string,
  });
  expect(await findFreePorts(11, [], range)).toMatchObject({ why: 'no_ports' });
});

test('none asked for', async () => {
  expect(await findFreePorts(0, [])).toEqual({ kind: 'free', first: 20_000, count: 0 });
});

test('from a start on, and then before it', async () => {
  const range = { first: 32_700, last: 32_709 };
  const at = async (count: number, taken: readonly { first: number; count: number }[]) => {
    const found = await findFreePorts(count, taken, range, 32_706);
    return found.kind === 'free' ? found.first : found.kind;
  };
  expect(await at(3, [])).toBe(32_706);
  expect(await at(3, [{ first: 32_706, count: 3 }])).toBe(32_700);
  expect(await at(5, [{ first: 32_700, count: 3 }])).toBe(32_703);
  expect(await at(8, [])).toBe(32_700);
  expect(await at(11, [])).toBe('refused');
});
