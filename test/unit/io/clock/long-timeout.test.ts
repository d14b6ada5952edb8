import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { wallClock } from '#io/clock/clock.ts';
import { startDeadlines } from '#io/providers/deadlines.ts';
import type { AiRequest } from '#protocol/ai-call.ts';
import { verifies } from '../../../e2e/verifies.ts';

const DAY = 86_400_000;

describe('a time longer than a timer of Node can count', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  test.each([1, 2 ** 31 - 1, 2 ** 31, 2 ** 32 + 5, 100 * DAY])('a sleep of %i ms takes that long', async (ms) => {
    let isOver = false;
    void wallClock.sleep(ms, new AbortController().signal, '').then(() => (isOver = true));
    await vi.advanceTimersByTimeAsync(ms - 1);
    expect(isOver).toBe(false);
    await vi.advanceTimersByTimeAsync(1);
    expect([isOver, vi.getTimerCount()]).toEqual([true, 0]);
  });

  test('what is cut off leaves no timer, also after the first of them', async () => {
    const controller = new AbortController();
    const sleeping = wallClock.sleep(2 ** 40, controller.signal, '');
    await vi.advanceTimersByTimeAsync(2 ** 31);
    expect(vi.getTimerCount()).toBe(1);
    controller.abort();
    await sleeping;
    expect(vi.getTimerCount()).toBe(0);
  });

  test('a limit of a call of a model passes then, and not at once', async () => {
    verifies('engine.signal.timeout');
    const limits = { totalMs: 2 ** 31 + 5, firstTokenMs: 2 ** 40, idleMs: 2 ** 40 };
    const deadlines = startDeadlines({ limits } as AiRequest, new AbortController().signal);
    await vi.advanceTimersByTimeAsync(2 ** 31);
    expect(deadlines.passed()).toBe(null);
    await vi.advanceTimersByTimeAsync(6);
    expect(deadlines.passed()).toBe('total');
    deadlines.stop();
    expect(vi.getTimerCount()).toBe(0);
  });
});
