import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { idleWatch } from '#host/server/idle.ts';

beforeEach(() => void vi.useFakeTimers({ now: 0 }));
afterEach(() => void vi.useRealTimers());

function watched() {
  const state = { idle: true, due: null as number | null, ended: 0, isLost: false, lost: 0, rung: [] as number[] };
  const watch = idleWatch({
    isIdle: () => state.idle && state.due === null,
    afterMs: 1_000,
    onIdle: () => (state.ended += 1),
    isLost: () => state.isLost,
    onLost: () => (state.lost += 1),
    due: () => state.due,
    onDue: (now) => {
      state.rung.push(now);
      state.due = null;
    },
    now: () => Date.now(),
  });
  return { state, ...watch };
}

test('it ends after so long without anything to do, counted from when that began', () => {
  const { state, look } = watched();
  look();
  vi.advanceTimersByTime(900);
  look();
  vi.advanceTimersByTime(99);
  expect(state.ended).toBe(0);
  vi.advanceTimersByTime(1);
  expect(state.ended).toBe(1);
});

test('whatever happens in between begins the time anew', () => {
  const { state, look } = watched();
  look();
  vi.advanceTimersByTime(900);
  state.idle = false;
  look();
  vi.advanceTimersByTime(10_000);
  state.idle = true;
  look();
  vi.advanceTimersByTime(999);
  expect(state.ended).toBe(0);
  vi.advanceTimersByTime(1);
  expect(state.ended).toBe(1);
});

test('it does not end while a run waits for a time, days from now; then that goes on, and it idles anew', () => {
  const { state, look } = watched();
  const days = 30 * 86_400_000;
  state.due = days;
  look();
  vi.advanceTimersByTime(days - 1);
  expect([state.ended, state.rung]).toEqual([0, []]);
  vi.advanceTimersByTime(1);
  expect(state.rung).toEqual([days]);
  vi.advanceTimersByTime(1_000);
  expect(state.ended).toBe(1);
});

test('stopped, it does nothing more', () => {
  const { state, look, stop } = watched();
  look();
  stop();
  look();
  vi.advanceTimersByTime(10_000);
  expect(state.ended).toBe(0);
});

test('it ends, whatever waits in it, soon after it has lost the engine', () => {
  const { state, look, stop } = watched();
  state.due = 30 * 86_400_000;
  look();
  vi.advanceTimersByTime(600_000);
  expect(state.lost).toBe(0);
  state.isLost = true;
  vi.advanceTimersByTime(10_000);
  expect([state.lost, state.ended, state.rung]).toEqual([1, 0, []]);
  look();
  expect(state.lost).toBe(2);
  stop();
});
