import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type AnyActorRef, type AnyStateMachine, createActor, createMachine, fromCallback, raise } from 'xstate';
import { withQuickSteps } from '#machines/run/quick-steps.ts';

type Said = string[];
interface At {
  readonly context: { readonly said: Said };
  readonly event: { readonly type: string };
}

const say = ({ context: { said }, event }: At, params: { readonly word: string }): number =>
  said.push(`${event.type}: ${params.word}`);
const word = (text: string): object => ({ type: 'say', params: { word: text } });
const row = (number: number): object => ({ type: 'row', params: { row: number } });

/**
 * A chart with all features of compiled charts, and with some that these lack: a raised event, a nested state, an
 * eventless transition.
 */
const CONFIG = {
  context: ({ input }: { readonly input: At['context'] }) => input,
  initial: 'A',
  invoke: { id: 'held', src: 'held' },
  on: { any: { target: '.B', actions: [word('from the root')] }, end: '.end' },
  states: {
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
    D: { entry: [word('into D')], on: { next: 'inside', odd: 'passing', stay: 'invoking' } },
    inside: { initial: 'x', states: { x: { on: { next: 'y' } }, y: { on: { next: '#root.A' } } } },
    invoking: { invoke: { id: 'other', src: 'held' }, on: { next: 'A' } },
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
      actions: { say, onwards: raise({ type: 'onwards' }) },
      guards: {
        row: ({ event }: { event: { row?: number } }, params: { row: number }) => event.row === params.row,
        isOdd: ({ event }: { event: { row?: number } }) => (event.row ?? 0) % 2 === 1,
      },
      actors: { held: fromCallback(() => undefined) },
    } as never,
  );

const started = (of: AnyStateMachine, said: Said): AnyActorRef => createActor(of, { input: { said } }).start();

const picture = (actor: AnyActorRef): unknown => {
  const { value, status, output, children } = actor.getSnapshot() as Record<string, unknown>;
  return { value, status, output, children: Object.keys(children as object).sort() };
};

const EVENT = fc.record({
  type: fc.constantFrom('next', 'next', 'odd', 'stay', 'any', 'unknown'),
  row: fc.integer({ min: 0, max: 4 }),
});

test('a machine with quick steps does what it does without', () => {
  const quick = withQuickSteps(machine());
  const seen = new Set<string>();
  fc.assert(
    fc.property(fc.array(EVENT, { maxLength: 30 }), fc.boolean(), (events, ends) => {
      const [left, right]: [Said, Said] = [[], []];
      const [own, other] = [started(machine(), left), started(quick, right)];
      for (const event of [...events, ...(ends ? [{ type: 'end' }] : [])]) {
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
  const held = (actor: AnyActorRef): unknown => (actor.getSnapshot() as { children: Record<string, unknown> }).children;
  const [ofOne, ofOther] = [held(one), held(other)];
  for (const actor of [one, other, one]) actor.send({ type: 'next', row: 1 });
  expect([held(one), held(other)]).toEqual([ofOne, ofOther]);
  expect(held(one)).not.toBe(held(other));
  expect([left.length, right.length]).toEqual([5, 4]);
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
