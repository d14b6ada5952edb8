import { expect, test } from 'vitest';
import { addRequest, emptyWindow, hasRoom, roomAt } from '#machines/key/minute-window.ts';

const NOON = Date.UTC(2026, 10, 21, 12);
const HOUR = 3_600_000;
const LIMITS = { requests: 1, tokens: null };

test('what was asked before the clock was set back keeps nobody waiting until that time comes again', () => {
  const window = emptyWindow();
  addRequest(window, 5, NOON);
  expect(hasRoom(window, LIMITS, 5, NOON + 1_000)).toBe(false);
  const earlier = NOON - HOUR;
  expect(roomAt(window, LIMITS, 5, earlier)).toBe(earlier);
  expect(hasRoom(window, LIMITS, 5, earlier)).toBe(true);
  addRequest(window, 7, earlier);
  expect(window.tokens).toBe(7);
  expect(roomAt(window, LIMITS, 5, earlier + 1_000)).toBe(earlier + 60_000);
});
