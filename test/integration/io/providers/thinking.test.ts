import { createServer } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, test, vi } from 'vitest';
import { startDeadlines } from '#io/providers/deadlines.ts';
import { createDispatcher, createTap } from '#io/providers/wire-tap.ts';
import type { AiRequest } from '#protocol/ai-call.ts';

afterEach(() => void vi.useRealTimers());

const request = { limits: { firstTokenMs: 60_000, idleMs: 60_000, totalMs: 600_000 } } as AiRequest;

const wait = (seconds: number): Promise<unknown> => vi.advanceTimersByTimeAsync(seconds * 1_000);

test('an accepted stream may be silent for longer than the limit for the first token', async () => {
  vi.useFakeTimers();
  const unlimited = { limits: { ...request.limits, totalMs: 1_800_000 } } as AiRequest;
  const deadlines = startDeadlines(unlimited, new AbortController().signal);
  await wait(50);
  deadlines.alive(true);
  await wait(590);
  expect(deadlines.passed()).toBeNull();
  deadlines.alive(true);
  await wait(590);
  expect(deadlines.passed()).toBeNull();
  await wait(11);
  expect(deadlines.passed()).toBe('silent');
  deadlines.stop();
});

test('a connection that is only kept open is not alive; events do not outlast the whole limit', async () => {
  vi.useFakeTimers();
  const kept = startDeadlines(request, new AbortController().signal);
  await wait(50);
  kept.alive(false);
  await wait(11);
  expect(kept.passed()).toBe('first_token');
  const thinking = startDeadlines(request, new AbortController().signal);
  for (let minute = 0; minute < 13; minute += 1) {
    await wait(50);
    thinking.alive(true);
  }
  expect(thinking.passed()).toBe('total');
  for (const one of [kept, thinking]) one.stop();
});

test.each([
  [': keep-alive\n\n', false],
  ['event: response.in_progress\ndata: {}\n\n', true],
  [': keep-alive\r\n\r\ndata: {}\r\n\r\n', true],
])('%j has an event: %s', async (body, expected) => {
  const server = createServer((_request, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' }).end(body);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const seen: boolean[] = [];
  const dispatcher = createDispatcher(10_000, false);
  const tap = createTap(dispatcher, (isAccepted) => void seen.push(isAccepted));
  const { port } = server.address() as AddressInfo;
  await (await tap.fetch(`http://127.0.0.1:${String(port)}/`, { headers: {} })).text();
  expect(seen.length).toBeGreaterThan(1);
  expect(seen.includes(true)).toBe(expected);
  await dispatcher.destroy();
  server.close();
});
