import { expect, test } from 'vitest';
import { createSessionClock } from './session-clock.ts';

const everything = (): boolean => true;
const never = new AbortController().signal;

test('of two sleeps of the same length that were cut off, the one that began first is slept again first', () => {
  const first = createSessionClock(0, 0, [], everything);
  void first.clockOf(0).sleep(1, never, '/');
  first.advance();
  void first.clockOf(0).sleep(1, never, '/');
  // In the second session the run does not get as far as in the first one, but another sleep takes place.
  const second = createSessionClock(1, 0, first.left(), everything);
  void second.clockOf(0).sleep(1, never, '/');
  second.stop(0);

  const third = createSessionClock(1, 0, second.left(), everything);
  void third.clockOf(0).sleep(1, never, '/');
  third.advance();
  expect(third.trueNow()).toBe(1);
});
