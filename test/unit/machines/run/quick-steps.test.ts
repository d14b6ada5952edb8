import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  type AnyActorRef,
  type AnyStateMachine,
  createActor,
  createMachine,
  type EventObject,
  fromCallback,
  raise,
} from 'xstate';
import { withQuickSteps } from '#machines/run/quick-steps.ts';

type Said = string[];
type Landing = 'A' | 'D' | 'invoking' | 'brief' | 'inside' | 'end';
interface At {
  readonly context: { readonly said: Said; readonly lands: Landing };
  readonly event: { readonly type: string; readonly output?: unknown };
}

const say = ({ context: { said }, event }: At, params: { readonly word: string }): number =>
  said.push(`${event.type}: ${params.word}`);
const word = (text: string): object => ({ type: 'say', params: { word: text } });
const held = (name: string): object => ({
  src: 'held',
  id: name,
  input: ({ context, event }: At) => ({ said: context.said, name: `${name} by ${event.type}` }),
});
const row = (number: number): object => ({ type: 'row', params: { row: number } });

/**
 * A chart with all features of compiled charts, and with some that these lack: a raised event on the way, a nested
 * state, an eventless transition.
 */
const CONFIG = {
  context: ({ input }: { readonly input: At['context'] }) => input,
  initial: 'opening',
  invoke: held('held'),
  on: { any: { target: '.B', actions: [word('from the root')] }, end: '.end' },
  states: {
    opening: {
      entry: [word('opens'), 'land'],
      exit: [word('lands')],
      on: {
        'land A': 'A',
        'land D': { target: 'D', actions: [word('opening to D')] },
        'land invoking': 'invoking',
        'land brief': 'brief',
        'land inside': 'inside',
        'land end': 'end',
      },
    },
    A: {
      entry: [word('into A')],
      exit: [word('out of A')],
      on: {
        next: [
          { guard: row(1), target: 'B', actions: [word('A to B')] },
          { guard: row(2), target: 'A', reenter: true },
          { guard: row(3), target: 'A' },
          { target: 'C' },
        ],
        odd: [{ guard: 'isOdd', target: 'B' }, { target: 'C' }],
        stay: { actions: [word('stays')] },
      },
    },
    B: {
      entry: [word('into B')],
      on: { next: 'A', '*': { target: 'D' }, stay: 'B' },
    },
    C: {
      entry: [word('into C'), 'onwards'],
      on: { next: 'B', onwards: 'D', odd: 'invoking' },
    },
    D: { entry: [word('into D')], on: { next: 'inside', odd: 'passing', stay: 'invoking', brief: 'brief' } },
    inside: { initial: 'x', states: { x: { on: { next: 'y' } }, y: { on: { next: '#root.A' } } } },
    invoking: { invoke: held('other'), on: { next: 'A', stay: { target: 'invoking', reenter: true } } },
    brief: {
      entry: [word('into brief')],
      invoke: {
        id: 'brief',
        src: 'brief',
        input: ({ event }: At) => event.type,
        onDone: [{ guard: 'isFromD', target: 'A', actions: [word('asked by D')] }, { target: 'D' }],
      },
    },
    passing: { always: 'C', exit: [word('out of passing')] },
    end: { type: 'final', entry: [word('ended')] },
  },
  id: 'root',
  output: ({ context }: At) => context.said.length,
} as const;

const machine = (): AnyStateMachine =>
  createMachine(
    CONFIG as never,
    {
      actions: {
        say,
        onwards: raise({ type: 'onwards' }),
        land: raise(({ context }: { context: At['context'] }) => ({ type: `land ${context.lands}` })),
      },
      guards: {
        row: ({ event }: { event: { row?: number } }, params: { row: number }) => event.row === params.row,
        isFromD: ({ event }: At) => event.output === 'brief',
        isOdd: ({ event }: { event: { row?: number } }) => (event.row ?? 0) % 2 === 1,
      },
      actors: {
        held: fromCallback<EventObject, { readonly said: Said; readonly name: string }>(({ input }) => {
          const { said, name } = input;
          said.push(`${name} starts`);
          return () => said.push(`${name} stops`);
        }),
        brief: createMachine({
          context: ({ input }: { readonly input: unknown }) => ({ input }),
          initial: 'over',
          states: { over: { type: 'final' } },
          output: ({ context }: { readonly context: { readonly input: unknown } }) => context.input,
        } as never),
      },
    } as never,
  );

const started = (of: AnyStateMachine, said: Said, lands: Landing = 'A'): AnyActorRef =>
  createActor(of, { input: { said, lands } }).start();

const picture = (actor: AnyActorRef): unknown => {
  const { value, status, output, children } = actor.getSnapshot() as Record<string, unknown>;
  return { value, status, output, children: Object.keys(children as object).sort() };
};

const EVENT = fc.record({
  type: fc.constantFrom('next', 'next', 'odd', 'stay', 'any', 'brief', 'unknown'),
  row: fc.integer({ min: 0, max: 4 }),
});

const LANDING = fc.constantFrom<Landing>('A', 'D', 'invoking', 'brief', 'inside', 'end');

test('a machine with quick steps does what it does without', () => {
  const quick = withQuickSteps(machine());
  const seen = new Set<string>();
  fc.assert(
    fc.property(LANDING, fc.array(EVENT, { maxLength: 30 }), fc.boolean(), (lands, events, ends) => {
      const [left, right]: [Said, Said] = [[], []];
      const [own, other] = [started(machine(), left, lands), started(quick, right, lands)];
      expect(picture(other)).toEqual(picture(own));
      expect(right).toEqual(left);
      for (const event of [...events, ...(ends ? [{ type: 'end' }] : [])]) {
        // XState warns of events to an actor that has ended.
        if ((own.getSnapshot() as { status: string }).status !== 'active') break;
        own.send(event);
        other.send(event);
        seen.add(JSON.stringify((own.getSnapshot() as { value: unknown }).value));
        expect(picture(other)).toEqual(picture(own));
        expect(right).toEqual(left);
      }
    }),
    { numRuns: 500 },
  );
  // The states `C` and `passing` are left immediately.
  expect([...seen].sort()).toEqual(
    ['A', 'B', 'D', 'end', 'invoking', { inside: 'x' }, { inside: 'y' }].map((value) => JSON.stringify(value)).sort(),
  );
});

test('two actors of one machine share no child and no context', () => {
  const quick = withQuickSteps(machine());
  const [left, right]: [Said, Said] = [[], []];
  const [one, other] = [started(quick, left), started(quick, right)];
  const childrenOf = (actor: AnyActorRef): unknown =>
    (actor.getSnapshot() as { children: Record<string, unknown> }).children;
  const [ofOne, ofOther] = [childrenOf(one), childrenOf(other)];
  for (const actor of [one, other, one]) actor.send({ type: 'next', row: 1 });
  expect([childrenOf(one), childrenOf(other)]).toEqual([ofOne, ofOther]);
  expect(childrenOf(one)).not.toBe(childrenOf(other));
  expect([left.length, right.length]).toEqual([8, 7]);
});

test('an action that throws ends the actor, as it does without', () => {
  const failing = (): AnyStateMachine =>
    createMachine({ initial: 'A', states: { A: { on: { go: 'B' } }, B: { entry: 'throws' } } } as never, {
      actions: {
        throws: () => {
          throw new Error('it threw');
        },
      },
    });
  const errors = [failing(), withQuickSteps(failing())].map((of) => {
    const actor = createActor(of);
    let thrown: unknown;
    actor.subscribe({ error: (error: unknown) => (thrown = error) });
    actor.start();
    actor.send({ type: 'go' });
    return [(thrown as Error).message, actor.getSnapshot().status];
  });
  expect(errors).toEqual([
    ['it threw', 'error'],
    ['it threw', 'error'],
  ]);
});
