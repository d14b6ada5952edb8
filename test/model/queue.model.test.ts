import { expect, test } from 'vitest';
import { planQueue } from '../../src/logic/queue/plan-queue.ts';
import type { NodeId, SessionId } from '../../src/protocol/id.ts';
import type { SessionState } from '../../src/protocol/session.ts';
import { verifies } from '../e2e/verifies.ts';
import { pick, seed, seededRandom } from '../support/seeded-random.ts';
import { type Naive, nextToStart, orphans } from './queue/naive-queue.ts';

const sequences = Number(process.env['ROBOSMITH_QUEUE_SEQUENCES'] ?? 10_000);

/** Returns a random integer from 0 to `limit` - 1. */
type Chance = (limit: number) => number;

const COMMANDS = [
  'submit',
  'submit',
  'complete',
  'complete',
  'halt',
  'answer',
  'merge',
  'merge',
  'discard',
  'hold',
  'resume',
  'priority',
  'wait',
] as const;

const LEADS: Readonly<Record<string, readonly [readonly SessionState[], SessionState]>> = {
  complete: [['running'], 'ready'],
  halt: [['running'], 'halted'],
  answer: [['halted'], 'running'],
  merge: [['ready'], 'merged'],
  discard: [['queued', 'halted', 'ready', 'held'], 'discarded'],
  hold: [['ready', 'halted'], 'held'],
  resume: [['held', 'halted', 'ready'], 'queued'],
};

/** Commands that need a branch: a session that was never started has no run to answer and nothing to hold. */
const NEEDS_BRANCH: ReadonlySet<string> = new Set(['answer', 'hold']);

interface World {
  readonly all: Naive[];
  readonly maxParallel: number;
  readonly log: string[];
}

const JOB = { start: { node: 'N' as NodeId }, manifest: '/m', input: null, script: null, stepMode: false };

const idOf = (id: string): SessionId => id as SessionId;

function submit({ all, log }: World, chance: Chance): void {
  const id = `s${String(all.length)}`;
  const letters = ['a', 'b', 'c', 'd', 'e'].filter(() => chance(4) === 0).join('');
  const after = all.filter(() => chance(8) === 0).map((one) => one.id);
  all.push({
    id,
    state: 'queued',
    after,
    files: letters,
    isMade: false,
    byHand: chance(5) === 0,
    priority: chance(3) === 0 ? 1 + chance(3) : null,
    submission: all.length,
  });
  log.push(`submit ${id} [${letters}] after [${after.join(' ')}]`);
}

const leadsTo = (all: readonly Naive[], from: string, to: string): boolean =>
  from === to || all.find(({ id }) => id === from)?.after.some((id) => leadsTo(all, id, to)) === true;

/** Adds a random other session to those that a session must wait for the next time it is queued. */
function wait({ all, log }: World, one: Naive, chance: Chance): void {
  const others = all.filter(({ id, state }) => state !== 'discarded' && !leadsTo(all, id, one.id));
  const other = others[chance(others.length)];
  if (other === undefined) return;
  one.after = [...one.after, other.id];
  log.push(`${one.id} after ${other.id}`);
}

function act(world: World, command: (typeof COMMANDS)[number], chance: Chance): void {
  if (command === 'submit') {
    submit(world, chance);
    return;
  }
  const fits = world.all.filter(({ state, isMade }) => {
    if (command === 'priority') return state === 'queued';
    if (command === 'wait') return ['held', 'halted', 'ready'].includes(state);
    return LEADS[command]?.[0].includes(state) === true && (isMade || !NEEDS_BRANCH.has(command));
  });
  const one = fits[chance(fits.length)];
  if (one === undefined) return;
  world.log.push(`${command} ${one.id}`);
  if (command === 'wait') wait(world, one, chance);
  else if (command === 'priority') one.priority = chance(2) === 0 ? null : 1 + chance(3);
  else one.state = LEADS[command]?.[1] ?? one.state;
}

/** Compares the decisions of the queue with those of the naive queue, session by session. */
function settle({ all, maxParallel, log }: World): void {
  const clash = (one: SessionId, other: SessionId): boolean => {
    const [a, b] = [one, other].map((id) => all.find((session) => session.id === id)?.files ?? '');
    return [...(a ?? '')].some((file) => b?.includes(file) === true);
  };
  const sessions = all.map((one) => ({
    ...one,
    id: idOf(one.id),
    after: one.after.map(idOf),
    base: one.isMade ? { branch: 'main', commit: 'c' } : null,
    job: one.byHand ? null : JOB,
    resolving: null,
    unmerged: null,
  }));
  const plan = planQueue(sessions, { maxParallel, clash });
  expect(planQueue([...sessions].reverse(), { maxParallel, clash })).toEqual(plan);
  const lost = orphans(all);
  expect(
    Array.from(plan)
      .flatMap(([id, { kind }]) => (kind === 'dependency_lost' ? [id] : []))
      .sort(),
  ).toEqual(lost.map(({ id }) => id).sort());
  const starts = Array.from(plan).flatMap(([id, { kind }]) => (kind === 'starts' ? [id] : []));
  const naive: string[] = [];
  for (let next = nextToStart(all, maxParallel); next !== null; next = nextToStart(all, maxParallel)) {
    next.state = 'running';
    next.isMade = true;
    naive.push(next.id);
  }
  expect(starts).toEqual(naive);
  for (const one of lost) one.state = 'halted';
  if (naive.length > 0) log.push(`started ${naive.join(' ')}`);
}

/** Finishes and merges all running sessions. No session may be left at the end. */
function wind(world: World): void {
  for (let round = 0; round < 200; round += 1) {
    for (const one of world.all) {
      if (one.state === 'held' || (one.state === 'halted' && !one.after.every((id) => isMerged(world, id))))
        one.state = 'discarded';
      else if (['running', 'halted', 'ready'].includes(one.state)) one.state = 'merged';
    }
    settle(world);
    if (!world.all.some(({ state }) => state === 'queued' || state === 'running' || state === 'halted')) return;
  }
}

const isMerged = ({ all }: World, id: string): boolean => all.find((one) => one.id === id)?.state === 'merged';

test(
  `the queue does as the naive queue does (${String(sequences)} sequences, ROBOSMITH_SEED=${String(seed)})`,
  { timeout: 0 },
  () => {
    verifies('worktrees.queue.order', 'worktrees.queue.claims', 'worktrees.queue.no-starving', 'worktrees.after.and');
    for (let index = 0; index < sequences; index += 1) {
      const random = seededRandom(seed + index);
      const chance: Chance = (limit) => pick(random, limit);
      const world: World = { all: [], maxParallel: 1 + chance(4), log: [] };
      try {
        for (let step = 0; step < 25; step += 1) {
          act(world, COMMANDS[chance(COMMANDS.length)] ?? 'submit', chance);
          settle(world);
        }
        wind(world);
        expect(world.all.filter(({ state }) => state !== 'merged' && state !== 'discarded')).toEqual([]);
      } catch (thrown) {
        throw new Error(`ROBOSMITH_SEED=${String(seed + index)} ROBOSMITH_QUEUE_SEQUENCES=1\n${world.log.join('\n')}`, {
          cause: thrown,
        });
      }
    }
  },
);
