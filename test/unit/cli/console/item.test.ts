import { expect, test } from 'vitest';
import { type SnapshotFacts, snapshotOf, sumOfCosts } from '#cli/console/item.ts';
import type { SessionId } from '#protocol/id.ts';
import type { RunSummary } from '#protocol/run-summary.ts';
import type { SessionListing } from '#protocol/session-listing.ts';
import type { Session, SessionState } from '#protocol/session.ts';
import { halt, NOW } from './items.ts';

const run = (id: string, status: RunSummary['status']): RunSummary =>
  ({ run: id, node: 'Fix', block: 'Fix__Build', status, started_at: NOW, directory: '/work' }) as RunSummary;

const listing = (id: string, state: SessionState, more: Partial<SessionListing> = {}): SessionListing => ({
  session: {
    id: id as SessionId,
    title: id,
    state,
    createdAt: NOW,
    baseBranch: 'main',
    why: null,
    changed: [],
  } as unknown as Session,
  overlap: 'Clear',
  clashes: [],
  conflicts: [],
  semantics: [],
  queue: 'running',
  order: null,
  waits: null,
  run: null,
  calls: null,
  health: { colour: 'green', reason: '' },
  attempt: null,
  ...more,
});

const facts = (sessions: readonly SessionListing[], more: Partial<SnapshotFacts> = {}): SnapshotFacts => ({
  status: { engine: null, waiting: 0, sessions, runs: [], findings: null },
  inbox: { waiting: [], sessions: [], damaged: [], interrupted: [] },
  changes: new Map(),
  said: new Map(),
  costs: new Map(),
  disk: null,
  all: false,
  ...more,
});

test('what waits comes first, oldest first; then interrupted, running, queued and resting sessions', () => {
  const old = halt('h1', { session: 'a' as SessionId, since: 5 });
  const asks = { session: 'b' as SessionId, title: 'b', state: 'ready', since: 3, why: null, answers: [] } as const;
  const { items } = snapshotOf(
    facts(
      [
        listing('held', 'held'),
        listing('queued', 'queued'),
        listing('runs', 'running', { run: run('r2', 'running') }),
        listing('cut', 'running', { run: run('r3', 'interrupted') }),
        listing('a', 'halted', { run: run('r1', 'halted') }),
        listing('b', 'ready'),
        listing('over', 'merged'),
      ],
      { inbox: { waiting: [old], sessions: [asks], damaged: [], interrupted: [] } },
    ),
  );
  expect(items.map(({ key, group, state, place, resumes }) => [key, group, state, place, resumes])).toEqual([
    ['b', 'waiting', 'ready', '', null],
    ['a', 'waiting', 'waits', 'Review', null],
    ['cut', 'interrupted', 'interrupted', 'Build', 'run'],
    ['runs', 'running', 'running', 'Build', null],
    ['queued', 'queued', 'queued', '', null],
    ['held', 'resting', 'held', '', 'session'],
  ]);
});

test('ended sessions are counted, and listed with --all', () => {
  const sessions = [listing('over', 'merged')];
  expect(snapshotOf(facts(sessions))).toMatchObject({ items: [], over: 1 });
  expect(snapshotOf(facts(sessions, { all: true }))).toMatchObject({ items: [{ key: 'over' }], over: 0 });
});

test('a run outside of sessions has its own halts, output and cost', () => {
  const status = { engine: null, waiting: 1, sessions: [], runs: [run('r1', 'halted')], findings: null };
  const { items } = snapshotOf(
    facts([], {
      status,
      inbox: { waiting: [halt('h1', { session: null })], sessions: [], damaged: [], interrupted: [] },
      said: new Map([['r1', 'from the journal']]),
      costs: new Map([['r1', { tokens: 7, microUsd: 5, atLeast: true }]]),
      changes: new Map([['r1', { added: 1, deleted: 2, files: 1 }]]),
    }),
  );
  expect(items).toMatchObject([
    {
      key: 'r1',
      session: null,
      group: 'waiting',
      state: 'waits',
      said: 'from the journal',
      cost: { tokens: 7, microUsd: 5, atLeast: true },
      changes: { added: 1, deleted: 2, files: 1 },
    },
  ]);
});

test('an unknown cost stays unknown in the sum; without calls there is no sum', () => {
  const { items } = snapshotOf(
    facts([
      listing('a', 'ready', {
        calls: { input: 3, output: 1, micro_usd: 10, unknown: 0, at_least: 0 } as SessionListing['calls'],
      }),
      listing('b', 'ready', {
        calls: { input: 2, output: 1, micro_usd: 0, unknown: 2, at_least: 0 } as SessionListing['calls'],
      }),
      listing('c', 'ready'),
    ]),
  );
  expect(sumOfCosts(items)).toEqual({ tokens: 7, microUsd: 10, atLeast: true });
  expect(sumOfCosts(items.slice(2))).toBeNull();
});
