import { describe, expect, test } from 'vitest';
import { invokedText, lettersOf } from '../../../../webview-ui/src/inspector/model/measure-text.ts';
import { activeStates, readChart } from '../../../../webview-ui/src/inspector/model/read-chart.ts';

const chartOf = (config: unknown) => readChart(JSON.stringify(config));

const edges = (config: unknown): readonly string[] =>
  (chartOf(config)?.edges ?? []).map(({ from, to, labels }) => `${from} → ${to}: ${labels.join(', ')}`);

describe('the chart of a machine', () => {
  test('resolves targets as XState does', () => {
    expect(
      edges({
        id: 'm',
        initial: 'a',
        states: {
          a: { on: { NEXT: 'b', IN: 'b.x', ID: '#deep', PATH: '#m.b.x' } },
          b: {
            initial: 'x',
            on: { INNER: '.y' },
            states: { x: { on: { SIDE: 'y', OUT: '#m.a' } }, y: { id: 'deep' } },
          },
        },
        on: { RESET: '.a' },
      }),
    ).toEqual([
      ' → a: RESET',
      'a → b: NEXT',
      'a → b.x: IN, PATH',
      'a → b.y: ID',
      'b → b.y: INNER',
      'b.x → b.y: SIDE',
      'b.x → a: OUT',
    ]);
  });

  test('joins what leads the same way, with guards, delays, ends of children and errors', () => {
    expect(
      edges({
        initial: 'a',
        states: {
          a: {
            on: { X: { target: 'b', guard: 'isReady' }, Y: [{ target: 'b', guard: { type: 'other' } }] },
            after: { 500: 'b' },
            always: { target: 'b' },
            invoke: { src: 'job', onDone: 'b', onError: { target: 'a' } },
          },
          b: { type: 'final' },
        },
      }),
    ).toEqual(['a → b: X [isReady], Y [other], after 500, always, done job', 'a → a: error job']);
  });

  test('leaves out targets that do not exist and configs that are none', () => {
    expect(edges({ states: { a: { on: { X: 'nowhere', Y: '#none.b', Z: 7 } } } })).toEqual([]);
    for (const config of [null, 1, [], {}, { states: 3 }]) expect(chartOf(config)).toBeNull();
    expect(readChart('{')).toBeNull();
    expect(readChart(null)).toBeNull();
  });

  test('has no chart of a machine with too many states', () => {
    const states = Object.fromEntries(Array.from({ length: 500 }, (_, at) => [`s${at}`, {}]));
    expect(chartOf({ states })).toBeNull();
  });

  test('reads nested and parallel state values', () => {
    expect([...activeStates({ a: { b: 'c' }, d: 'e' })]).toEqual(['a', 'a.b', 'a.b.c', 'd', 'd.e']);
    expect([...activeStates('a')]).toEqual(['a']);
    expect([...activeStates(undefined)]).toEqual([]);
  });
});

test('an invoked machine that is written in place is known by its id', () => {
  const invoke = [{ src: 'fetch' }, { src: { id: 'inner', type: 'compound', states: { a: {} } }, id: '0.m.a' }];
  expect(chartOf({ states: { a: { invoke } } })?.root.states[0]?.invokes).toEqual(['fetch', 'inner']);
});

test('a text is measured as it is shown: with its first word, and wide characters as two', () => {
  expect(lettersOf(invokedText('fetch'))).toBe('invoke fetch'.length);
  expect([lettersOf('注文'), lettersOf('한글 ok'), lettersOf('é')]).toEqual([4, 7, 1]);
});
