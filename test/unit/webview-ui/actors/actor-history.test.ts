import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { InspectionEvent } from '#protocol/inspection.ts';
import {
  ActorHistory,
  filterLog,
  treeOf,
  valueText,
} from '../../../../webview-ui/src/inspector/model/actor-history.ts';
import { sequenceOf } from '../../../../webview-ui/src/inspector/model/sequence.ts';

const base = (sessionId: string) => ({ sessionId, createdAt: '0', id: null, _version: '1' }) as const;
const actor = (id: string, parentId?: string): InspectionEvent => ({
  ...base(id),
  type: '@xstate.actor',
  name: `name ${id}`,
  snapshot: { status: 'active', value: 'new' },
  ...(parentId === undefined ? {} : { parentId }),
});
const snapshot = (id: string, value: string): InspectionEvent => ({
  ...base(id),
  type: '@xstate.snapshot',
  event: { type: `to ${value}` },
  snapshot: { status: 'active', value },
});
const sent = (from: string, to: string, type: string): InspectionEvent => ({
  ...base(to),
  type: '@xstate.event',
  event: { type },
  sourceId: from,
});

const historyOf = (events: readonly InspectionEvent[]): ActorHistory => {
  const history = new ActorHistory();
  for (const event of events) history.append(event);
  return history;
};

const anyEvent = fc.oneof(
  fc
    .record({ id: fc.constantFrom('a', 'b', 'c'), parent: fc.constantFrom('a', 'b', 'c', undefined) })
    .map(({ id, parent }) => actor(id, parent)),
  fc
    .record({ id: fc.constantFrom('a', 'b', 'c'), value: fc.constantFrom('x', 'y') })
    .map(({ id, value }) => snapshot(id, value)),
);

describe('the history of actors', () => {
  test('a moment is what a history of its first events has', () => {
    fc.assert(
      fc.property(fc.array(anyEvent, { maxLength: 30 }), fc.nat(2_500), (some, filler) => {
        const events = [...some, ...Array.from({ length: filler }, (_, at) => snapshot('a', String(at))), ...some];
        const history = historyOf(events);
        for (const count of [0, 1, Math.floor(events.length / 2), events.length])
          expect([...history.at(count)]).toEqual([...historyOf(events.slice(0, count)).at(Infinity)]);
      }),
      { numRuns: 20 },
    );
  });

  test('the tree shows every actor once, also when parents form a cycle', () => {
    const actors = historyOf([actor('a'), actor('b', 'a'), actor('c', 'b'), actor('x', 'y'), actor('y', 'x')]).at(9);
    const rows = treeOf(actors, new Set());
    expect(rows.map(({ actor: { sessionId }, depth }) => `${depth} ${sessionId}`)).toEqual([
      ...['0 a', '1 b', '2 c'],
      ...['0 x', '1 y'],
    ]);
    expect(treeOf(actors, new Set(['a'])).map(({ actor: { sessionId } }) => sessionId)).toEqual(['a', 'x', 'y']);
  });

  test('the log filters by kind, actor and text', () => {
    const events = [actor('a'), sent('a', 'b', 'PING'), snapshot('b', 'x'), sent('b', 'c', 'PONG')];
    const rows = (text: string, only: string | null) =>
      filterLog(events, { text, types: new Set(['@xstate.event', '@xstate.snapshot']), actor: only }).map(
        ({ at }) => at,
      );
    expect(rows('', null)).toEqual([1, 2, 3]);
    expect(rows('pong', null)).toEqual([3]);
    expect(rows('', 'a')).toEqual([1]);
    expect(rows('', 'b')).toEqual([1, 2, 3]);
  });

  test('the sequence ends at the shown moment and orders actors by their creation', () => {
    const events = [actor('b'), actor('a'), sent('a', 'b', 'ONE'), sent('b', 'a', 'TWO'), sent('a', 'a', 'THREE')];
    const { lifelines, messages } = sequenceOf(events, 4, historyOf(events).at(4), null);
    expect(lifelines.map(({ sessionId }) => sessionId)).toEqual(['b', 'a']);
    expect(messages).toEqual([
      { at: 2, from: 1, to: 0, text: 'ONE' },
      { at: 3, from: 0, to: 1, text: 'TWO' },
    ]);
  });
});

test.each([
  ['Work', 'Work'],
  [{ A: { B: 'C' } }, 'A.B.C'],
  [{ 'F@FORK:0': { 'branch 0': 'X', 'branch 1': { Y: 'Z' } } }, 'F@FORK:0.{branch 0.X, branch 1.Y.Z}'],
  [{ done: {}, open: 'yes' }, '{done, open.yes}'],
])('the state %j is written as %s', (value, text) => {
  expect(valueText({ status: 'active', value })).toBe(text);
});
