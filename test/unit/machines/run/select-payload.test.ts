import { expect, test } from 'vitest';
import { holdPayload } from '#machines/run/payload-log.ts';
import { selectPayload } from '#machines/run/select-payload.ts';
import type { SegmentId } from '#protocol/id.ts';
import type { Segment } from '#protocol/payload.ts';
import type { MergeInstruction } from '#protocol/graph.ts';
import { verifies } from '../../../e2e/verifies.ts';

const LENGTH = 50_000;

const segment = (index: number): Segment => ({
  id: `run/Main__A#1.${index}` as SegmentId,
  type: 'T',
  content: String(index),
  source: null,
  meta: {},
  timestamp: 0,
});

/** Creates a log that counts the reads of its segments. */
function countingLog() {
  let reads = 0;
  const log = new Proxy(
    Array.from({ length: LENGTH }, (_, index) => segment(index)),
    {
      get: (target, key, receiver) => {
        if (typeof key === 'string' && /^\d+$/.test(key)) reads += 1;
        return Reflect.get(target, key, receiver) as unknown;
      },
    },
  );
  return { log, reads: () => reads };
}

test.each<[string, readonly MergeInstruction[], number]>([
  ['ALL', [{ kind: 'all' }], LENGTH],
  ['a text, then ALL', [{ kind: 'text', text: 'Mind the gap.' }, { kind: 'all' }], LENGTH + 1],
])('a view of %s on a big payload touches only what its reader reads', (_name, strategy, length) => {
  verifies('manifest.merge.lazy');
  const { log, reads } = countingLog();
  const view = selectPayload(strategy, {
    payload: { ...holdPayload([]), log, length: LENGTH },
    inherited: {},
    exports: {},
    now: () => 0,
  });
  expect(view.length).toBe(length);
  expect(reads()).toBe(0);
  expect(view.slice(-10).map(({ content }) => content)).toEqual(
    Array.from({ length: 10 }, (_, index) => String(LENGTH - 10 + index)),
  );
  expect(reads()).toBeLessThanOrEqual(20);
});

test.each<[string, readonly MergeInstruction[], readonly string[]]>([
  [
    'without ALL',
    [
      { kind: 'static_memory', key: 'x' },
      { kind: 'text', text: 'a' },
      { kind: 'type', type: 'T' },
      { kind: 'static_memory', key: 'x' },
      { kind: 'text', text: 'a' },
      { kind: 'last', type: 'T', count: 1 },
    ],
    ['hello', 'a', '0'],
  ],
  [
    'around ALL',
    [{ kind: 'text', text: 'a' }, { kind: 'all' }, { kind: 'text', text: 'a' }, { kind: 'export', key: 'x' }],
    ['a', '0', 'out'],
  ],
])('a segment that is already there is not taken twice: %s', (_where, strategy, contents) => {
  const view = selectPayload(strategy, {
    payload: holdPayload([segment(0)]),
    inherited: { x: 'hello' },
    exports: { x: 'out' },
    now: () => 0,
  });
  expect(view.map(({ content }) => content)).toEqual(contents);
});
