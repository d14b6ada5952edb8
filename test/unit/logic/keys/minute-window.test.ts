import { expect, test } from 'vitest';
import { addRequest, correctTokens, emptyWindow, hasRoom, roomAt } from '#logic/keys/minute-window.ts';

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

test('what an answer took counts while its request is in the window, and no longer', () => {
  const limits = { requests: null, tokens: 100 };
  const window = emptyWindow();
  const entry = addRequest(window, 5, NOON);
  correctTokens(window, entry, 70);
  expect([window.tokens, hasRoom(window, limits, 31, NOON)]).toEqual([70, false]);
  addRequest(window, 20, NOON + 60_000);
  correctTokens(window, entry, 90);
  expect(window.tokens).toBe(20);
});
