import { expect, test } from 'vitest';
import type { SessionId } from '#protocol/id.ts';
import type { WaitingHalt, WaitingSession } from '#protocol/inbox.ts';
import { inboxEntries } from '../../../../../src/host/server/views/tabs.ts';

const waiting = (state: WaitingSession['state'], why: string | null): WaitingSession => ({
  session: 's1' as SessionId,
  title: 'Log in',
  state,
  since: 1,
  why,
  answers: ['robosmith sessions resume s1'],
});

// A failed session had the green tick of a finished one.
test.each([
  ['ready', null, 'session', 'The session is done and waits to be merged.'],
  ['failed', 'its run ended with cancelled', 'failed', 'its run ended with cancelled'],
  ['halted', null, 'failed', 'The session has stopped and waits for you.'],
] as const)('a session that is %s is shown in the inbox as what it is', (state, why, kind, text) => {
  const inbox = { waiting: [], sessions: [waiting(state, why)], damaged: [], interrupted: [] };
  expect(inboxEntries(inbox, []).map((entry) => [entry.kind, entry.text])).toEqual([[kind, text]]);
});

// The inbox of Mission Control stayed closed when two runs waited at their first halt.
test('the first halts of two runs have different keys in the inbox', () => {
  const halt = (run: string): WaitingHalt => ({
    run: run as WaitingHalt['run'],
    session: null,
    title: null,
    node: 'Main' as WaitingHalt['node'],
    steps: 1,
    halt_id: 'h1' as WaitingHalt['halt_id'],
    block: 'Main__Test' as WaitingHalt['block'],
    frame: '/' as WaitingHalt['frame'],
    why: 'flagged',
    since: 1,
    until: null,
    last: { type: 'CODE_OUTPUT', content: 'It fails.', scripted: false },
    answers: [],
  });
  const inbox = { waiting: [halt('r1'), halt('r2')], sessions: [], damaged: [], interrupted: [] };
  expect(inboxEntries(inbox, []).map(({ key }) => key)).toEqual(['halt r1 h1', 'halt r2 h1']);
});
