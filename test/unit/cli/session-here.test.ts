import { expect, test } from 'vitest';
import { sessionOrHere } from '#cli/sessions/session-here.ts';
import type { Session, SessionState } from '#protocol/session.ts';
import { aSession } from '../machines/session/a-session.ts';

const some = (...states: readonly SessionState[]): readonly Session[] =>
  states.map((state, index) => aSession(index + 1, { state, title: `T${index + 1}`, worktree: `/w/s${index + 1}` }));

const chosen = (sessions: readonly Session[], cwd = '/repo'): unknown => {
  try {
    return sessionOrHere(undefined, sessions, cwd, 'robosmith sessions diff').title;
  } catch (thrown) {
    return thrown;
  }
};

// The contracts of the templates advise `robosmith sessions diff` without a session.
test.each([
  ['the only one that is not over', some('merged', 'ready', 'discarded'), '/repo', 'T2'],
  ['the only one that waits for a person', some('running', 'halted', 'ready'), '/repo', 'T2'],
  ['the one of the current folder', some('running', 'halted', 'ready'), '/w/s3/src', 'T3'],
] as const)('without a name it is %s', (_, sessions, cwd, title) => {
  expect(chosen(sessions, cwd)).toBe(title);
});

test('a name is looked up as always', () => {
  expect(sessionOrHere('T2', some('ready', 'ready'), '/w/s1', 'x').title).toBe('T2');
});

test('several possible sessions are refused with a command for each', () => {
  const sessions = some('ready', 'running');
  const [one, other] = sessions.map(({ id }) => id);
  expect(chosen(sessions, '/w/s10')).toMatchObject({
    code: 'usage',
    message: `Name the session: 2 are active (T1 (${String(one)}), T2 (${String(other)})).`,
    data: { next: [`robosmith sessions diff ${String(one)}`, `robosmith sessions diff ${String(other)}`] },
  });
});

test('without any session, the list of all is named', () => {
  expect(chosen(some('merged'))).toMatchObject({ code: 'usage', data: { next: ['robosmith sessions --all'] } });
});
