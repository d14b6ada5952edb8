import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createActor, fromCallback, SimulatedClock } from 'xstate';
import {
  type ServerEvent,
  type ServerLimits,
  serverMachine,
  serverState,
} from '../../src/machines/code-analysis/server.machine.ts';
import type { ContextServerConnection, ContextServerState } from '../../src/protocol/code-analysis.ts';

const LIMITS: ServerLimits = {
  start: 100,
  stop: 50,
  idle: 400,
  steady: 1_000,
  coolOff: 5_000,
  backOff: [10, 20],
};

const CONNECTION: ContextServerConnection = {
  call: () => Promise.resolve({ ok: true, text: '', data: {} }),
  isAlive: () => Promise.resolve(true),
};

/** The expected behaviour of the state chart, as plain variables. */
interface Model {
  state: ContextServerState;
  sessions: number;
  calls: number;
  closed: boolean;
  crashes: number;
  /** Time in milliseconds since the current state began; in `ready`, since the last call. */
  inState: number;
  alive: number;
}

type Step = { readonly kind: 'event'; readonly event: ServerEvent } | { readonly kind: 'wait'; readonly ms: number };

const LIVE: ReadonlySet<ContextServerState> = new Set(['starting', 'indexing', 'ready', 'stopping']);

const wanted = ({ sessions, calls, closed }: Model): boolean => !closed && sessions + calls > 0;

function move(model: Model, state: ContextServerState): void {
  if (state === 'starting') model.alive = 0;
  model.state = state;
  model.inState = 0;
}

/** Applies the transitions that need no event or time. */
function settle(model: Model): void {
  if (model.state === 'restarting' && !wanted(model)) move(model, 'stopped');
  if (model.state === 'stopped' && wanted(model)) move(model, 'starting');
}

function crash(model: Model): void {
  const isUnderLimit = model.crashes < LIMITS.backOff.length;
  model.crashes += 1;
  move(model, isUnderLimit ? (wanted(model) ? 'restarting' : 'stopped') : 'crashed');
}

function endSession(model: Model): void {
  const isLast = model.sessions <= 1 && model.calls === 0;
  model.sessions = Math.max(0, model.sessions - 1);
  if (isLast && LIVE.has(model.state) && model.state !== 'stopping') move(model, 'stopping');
}

function take(model: Model, { type }: ServerEvent): void {
  const { state } = model;
  if (type === 'session.began') {
    model.sessions += 1;
    if (state === 'crashed') {
      model.crashes = 0;
      move(model, 'stopped');
    }
  } else if (type === 'session.ended') endSession(model);
  else if (type === 'call.began') model.calls += 1;
  else if (type === 'call.ended') {
    model.calls = Math.max(0, model.calls - 1);
    if (state === 'ready') model.inState = 0;
  } else if (type === 'server.close') {
    model.closed = true;
    if (state === 'crashed') move(model, 'stopped');
    else if (LIVE.has(state) && state !== 'stopping') move(model, 'stopping');
  } else if (type === 'process.exited') {
    if (state === 'stopping') move(model, 'stopped');
    else if (LIVE.has(state)) crash(model);
  } else if (type === 'server.hung') {
    if (LIVE.has(state) && state !== 'stopping') crash(model);
  } else if (type === 'process.connected' && state === 'starting') move(model, 'indexing');
  else if (type === 'process.indexed' && state === 'indexing') move(model, 'ready');
  settle(model);
}

/** Advances the model by one millisecond. */
function tick(model: Model): void {
  model.inState += 1;
  if (LIVE.has(model.state)) model.alive += 1;
  const { state, inState } = model;
  if (LIVE.has(state) && model.alive === LIMITS.steady) model.crashes = 0;
  if (state === 'starting' && inState === LIMITS.start) crash(model);
  else if (state === 'stopping' && inState === LIMITS.stop) move(model, 'stopped');
  // The idle timer fires once per stay in `ready`. If the server is in use at that moment, it keeps running until its
  // next call has ended.
  else if (state === 'ready' && inState === LIMITS.idle && !wanted(model)) move(model, 'stopping');
  else if (state === 'restarting' && inState === (LIMITS.backOff[model.crashes - 1] ?? LIMITS.coolOff))
    move(model, 'starting');
  else if (state === 'crashed' && inState === LIMITS.coolOff) {
    model.crashes = 0;
    move(model, 'stopped');
  }
  settle(model);
}

const EVENTS: readonly ServerEvent[] = [
  ...(['session.began', 'session.ended', 'call.began', 'call.ended', 'server.hung'] as const).map((type) => ({ type })),
  { type: 'process.connected', connection: CONNECTION },
  { type: 'process.indexed' },
  { type: 'process.exited', why: 'exit code 1' },
];

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 8, arbitrary: fc.constantFrom(...EVENTS).map((event) => ({ kind: 'event' as const, event })) },
  { weight: 1, arbitrary: fc.constant({ kind: 'event' as const, event: { type: 'server.close' } as const }) },
  { weight: 4, arbitrary: fc.constantFrom(1, 9, 49, 99, 399, 600, 5_000).map((ms) => ({ kind: 'wait' as const, ms })) },
);

function begin() {
  const clock = new SimulatedClock();
  const processes = { begun: 0, living: 0 };
  const machine = serverMachine.provide({
    actors: {
      process: fromCallback(() => {
        processes.begun += 1;
        processes.living += 1;
        return () => void (processes.living -= 1);
      }),
    },
  });
  const actor = createActor(machine, { clock, input: { worktree: '/w', limits: LIMITS, parent: null } }).start();
  return { clock, actor, processes };
}

test('the chart of a server does what its model does, and no process outlives its state', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
      const { clock, actor, processes } = begin();
      const model: Model = {
        state: 'stopped',
        sessions: 0,
        calls: 0,
        closed: false,
        crashes: 0,
        inState: 0,
        alive: 0,
      };
      for (const one of steps) {
        if (one.kind === 'event') {
          actor.send(one.event);
          take(model, one.event);
        } else
          for (let ms = 0; ms < one.ms; ms += 1) {
            clock.increment(1);
            tick(model);
          }
        const { value, context } = actor.getSnapshot();
        expect(serverState(value)).toBe(model.state);
        expect(context).toMatchObject({ sessions: model.sessions, calls: model.calls, crashes: model.crashes });
        expect(processes.living).toBe(LIVE.has(model.state) ? 1 : 0);
        expect(context.connection === null).toBe(model.state !== 'indexing' && model.state !== 'ready');
      }
      actor.stop();
      expect(processes.living).toBe(0);
    }),
    { numRuns: 300 },
  );
});
