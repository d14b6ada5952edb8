import { describe, expect, test } from 'vitest';
import { transition } from 'xstate';
import { type SessionEvent, sessionMachine } from '../../../../src/machines/session/session.machine.ts';
import { SESSION_STATES, type SessionState } from '../../../../src/protocol/session.ts';
import { verifies } from '../../../e2e/verifies.ts';

const EVENTS: readonly SessionEvent[] = [
  { type: 'session.submit' },
  { type: 'session.withdraw', hasBranch: true },
  { type: 'session.withdraw', hasBranch: false },
  { type: 'session.start' },
  { type: 'session.created', hasJob: true },
  { type: 'session.created', hasJob: false },
  { type: 'session.creation_failed' },
  { type: 'session.creation_cut_off' },
  { type: 'session.creation_stopped', hasBranch: true },
  { type: 'session.creation_stopped', hasBranch: false },
  { type: 'session.dependency_lost' },
  { type: 'session.lost' },
  { type: 'run.began' },
  { type: 'run.halted' },
  { type: 'run.completed' },
  { type: 'run.failed' },
  { type: 'session.merge', hasBranch: true },
  { type: 'session.merge', hasBranch: false },
  { type: 'session.merged' },
  { type: 'session.merge_refused' },
  { type: 'session.update', hasBranch: true },
  { type: 'session.update', hasBranch: false },
  { type: 'session.update_ended' },
  { type: 'session.held' },
  { type: 'session.hold_refused' },
  { type: 'session.hold', hasBranch: true },
  { type: 'session.hold', hasBranch: false },
  { type: 'session.discard' },
  { type: 'session.discarded' },
  { type: 'session.discard_refused' },
  { type: 'session.restore' },
];

const nameOf = (event: SessionEvent): string =>
  [
    event.type,
    ...('hasJob' in event && event.hasJob ? ['job'] : []),
    ...('hasBranch' in event && event.hasBranch ? ['branch'] : []),
  ].join(' ');

/** All accepted events by state, with the next state; any other event is refused. */
const ACCEPTED: Readonly<Record<SessionState, Readonly<Record<string, SessionState>>>> = {
  draft: { 'session.submit': 'queued', 'session.discard': 'discarding' },
  queued: {
    'session.start': 'creating',
    'session.withdraw branch': 'halted',
    'session.withdraw': 'draft',
    'session.dependency_lost': 'halted',
    'session.discard': 'discarding',
  },
  creating: {
    'session.created job': 'running',
    'session.created': 'ready',
    'session.creation_failed': 'failed',
    'session.creation_cut_off': 'queued',
    'session.creation_stopped branch': 'halted',
    'session.creation_stopped': 'draft',
  },
  running: { 'run.halted': 'halted', 'run.completed': 'ready', 'run.failed': 'failed', 'session.lost': 'failed' },
  halted: {
    'session.lost': 'failed',
    'run.began': 'running',
    'run.completed': 'ready',
    'run.failed': 'failed',
    'session.submit': 'queued',
    'session.merge branch': 'merging',
    'session.update branch': 'updating',
    'session.hold branch': 'holding',
    'session.discard': 'discarding',
  },
  ready: {
    'session.lost': 'failed',
    'run.began': 'running',
    'session.submit': 'queued',
    'session.merge branch': 'merging',
    'session.merge': 'merging',
    'session.update branch': 'updating',
    'session.update': 'updating',
    'session.hold branch': 'holding',
    'session.hold': 'holding',
    'session.discard': 'discarding',
  },
  updating: { 'session.update_ended': 'ready' },
  holding: { 'session.held': 'held', 'session.hold_refused': 'ready' },
  merging: { 'session.merged': 'merged', 'session.merge_refused': 'ready' },
  merged: {},
  held: {
    'session.lost': 'failed',
    'session.submit': 'queued',
    'session.update branch': 'updating',
    'session.hold branch': 'holding',
    'session.hold': 'holding',
    'session.discard': 'discarding',
  },
  discarding: { 'session.discarded': 'discarded', 'session.discard_refused': 'ready' },
  discarded: { 'session.restore': 'held' },
  failed: {
    'run.began': 'running',
    'session.submit': 'queued',
    'session.merge branch': 'merging',
    'session.update branch': 'updating',
    'session.hold branch': 'holding',
    'session.discard': 'discarding',
  },
};

const at = (value: SessionState) => sessionMachine.resolveState({ value, context: { before: value } });

describe('a session', () => {
  test.each(SESSION_STATES)('that is %s takes these events, and refuses all others', (state) => {
    verifies('worktrees.session.machine');
    const taken = EVENTS.filter((event) => at(state).can(event)).map((event) => [
      nameOf(event),
      transition(sessionMachine, at(state), event)[0].value,
    ]);
    expect(Object.fromEntries(taken)).toEqual(ACCEPTED[state]);
  });

  test.each([
    ['draft', 'session.discard'],
    ['queued', 'session.discard'],
    ['halted', 'session.discard'],
    ['ready', 'session.discard'],
    ['held', 'session.discard'],
    ['failed', 'session.discard'],
  ] as const)('that was %s is so again when its end is refused', (state, type) => {
    const [asked] = transition(sessionMachine, at(state), { type });
    expect(transition(sessionMachine, asked, { type: 'session.discard_refused' })[0].value).toBe(state);
  });

  test.each(['halted', 'ready', 'failed', 'held'] as const)(
    'that was %s is so again after an update, and when it can not be held',
    (state) => {
      const [updating] = transition(sessionMachine, at(state), { type: 'session.update', hasBranch: true });
      expect(transition(sessionMachine, updating, { type: 'session.update_ended' })[0].value).toBe(state);
      const [holding] = transition(sessionMachine, at(state), { type: 'session.hold', hasBranch: true });
      expect(transition(sessionMachine, holding, { type: 'session.hold_refused' })[0].value).toBe(state);
    },
  );

  test.each(['halted', 'ready', 'failed'] as const)('that was %s is so again when it can not be merged', (state) => {
    const [asked] = transition(sessionMachine, at(state), { type: 'session.merge', hasBranch: true });
    expect(transition(sessionMachine, asked, { type: 'session.merge_refused' })[0].value).toBe(state);
  });
});
