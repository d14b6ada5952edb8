import { expect, test } from 'vitest';
import { findSession } from '#cli/sessions/find-session.ts';
import type { SessionState } from '#protocol/session.ts';
import { aSession } from '../machines/session/a-session.ts';

const refusal = (name: string, ...states: readonly SessionState[]): unknown => {
  try {
    return findSession(
      name,
      states.map((state, index) => aSession(index + 1, { state, title: 'Sketch' })),
    );
  } catch (thrown) {
    return thrown;
  }
};

test.each([
  ['nobody', ['ready'], 'robosmith sessions'],
  ['nobody', ['ready', 'discarded'], 'robosmith sessions --all'],
  ['nobody', ['merged'], 'robosmith sessions --all'],
  ['Sketch', ['discarded', 'discarded'], 'robosmith sessions --all'],
] as const)('the list that is named has all that could be meant by %s: %j', (name, states, list) => {
  expect(refusal(name, ...states)).toMatchObject({ code: 'usage', data: { next: [list] } });
});
