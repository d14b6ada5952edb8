import { expect, test } from 'vitest';
import { createPortsFor } from '#engine/sessions/creation/ports-for.ts';
import type { Session } from '#protocol/session.ts';
import { verifies } from '../../../../e2e/verifies.ts';

const session = (id: string, more: Partial<Session> = {}): Session =>
  ({ id, ports: null, state: 'creating', ...more }) as Session;

const portsOf = async (ask: ReturnType<ReturnType<typeof createPortsFor>>): Promise<Session['ports']> => {
  const found = await ask;
  if (!found.ok) throw new Error(found.why);
  return found.ports;
};

test('worktrees that are made at the same time get ports of their own', async () => {
  verifies('worktrees.create.ports');
  const all = ['a', 'b', 'c', 'd'].map((id) => session(id));
  const portsFor = createPortsFor('/project', () => all);
  const blocks = await Promise.all(all.map((one) => portsOf(portsFor(one, 2))));
  const ports = blocks.flatMap((block) => [block?.first, (block?.first ?? 0) + 1]);
  expect(new Set(ports).size).toBe(8);
});

test('what a creation that failed was given is free again; what a session has is its own until its end', async () => {
  verifies('worktrees.create.ports');
  let all: readonly Session[] = [session('a'), session('b')];
  const portsFor = createPortsFor('/project', () => all);
  const [first, second] = [await portsOf(portsFor(all[0]!, 3)), await portsOf(portsFor(all[1]!, 3))];
  all = [session('a', { state: 'failed' }), session('b', { ports: second, state: 'ready' })];
  expect(await portsOf(portsFor(session('c'), 3))).toEqual(first);
  expect(await portsOf(portsFor(all[1]!, 5))).toEqual(second);
  all = [session('b', { ports: second, state: 'merged' }), session('c', { ports: first, state: 'running' })];
  expect(await portsOf(portsFor(session('d'), 3))).toEqual(second);
  expect(await portsOf(portsFor(session('e'), 0))).toBeNull();
});

test('two projects begin to look in different places, and find what the other has left', async () => {
  verifies('worktrees.create.ports');
  const [one, other] = [session('a'), session('a')];
  const mine = await portsOf(createPortsFor('/home/me/one', () => [one])(one, 2));
  const yours = await portsOf(createPortsFor('/home/me/other', () => [other])(other, 2));
  expect(Math.abs((mine?.first ?? 0) - (yours?.first ?? 0))).toBeGreaterThanOrEqual(2);
});
