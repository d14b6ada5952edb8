import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  appendSegments,
  continues,
  holdPayload,
  lazyPayload,
  type PayloadHold,
  payloadOf,
} from '#machines/run/payload-log.ts';
import type { SegmentId } from '#protocol/id.ts';
import type { Segment } from '#protocol/payload.ts';
import { verifies } from '../../../e2e/verifies.ts';

let made = 0;
const segment = (): Segment => {
  made += 1;
  return { id: `s${made}` as SegmentId, type: 'T', content: `${made}`, source: null, meta: {}, timestamp: 0 };
};
const segments = (count: number): readonly Segment[] => Array.from({ length: count }, segment);

describe('a hold of a shared log', () => {
  test('every history reads as if it had its own array, whatever the others append', () => {
    verifies('engine.compile.payload-shared');
    const step = fc.record({ holder: fc.nat(), count: fc.nat(3), split: fc.boolean() });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const holders: { hold: PayloadHold; model: readonly Segment[] }[] = [{ hold: holdPayload([]), model: [] }];
        for (const { holder, count, split } of steps) {
          const at = holders[holder % holders.length];
          if (at === undefined) continue;
          if (split) holders.push({ ...at });
          const added = segments(count);
          at.hold = appendSegments(at.hold, added);
          at.model = [...at.model, ...added];
        }
        for (const { hold, model } of holders) expect(payloadOf(hold)).toEqual(model);
      }),
    );
  });

  test('appending as the newest holder copies nothing, parting copies once', () => {
    const first = holdPayload(segments(3));
    const second = appendSegments(first, segments(1));
    expect(second.log).toBe(first.log);
    const parted = appendSegments(first, segments(1));
    expect(parted.log).not.toBe(first.log);
    expect(payloadOf(second)).toHaveLength(4);
    expect(continues(second, first)).toBe(true);
    expect(continues(parted, first)).toBe(true);
    expect(continues(parted, second)).toBe(false);
  });
});

describe('a lazy payload', () => {
  const [before, inside, after] = [segments(2), segments(3), segments(1)];
  const view = lazyPayload(before, holdPayload(inside), after);
  const whole = [...before, ...inside, ...after];

  test('reads like an array', () => {
    expect(Array.isArray(view)).toBe(true);
    expect([...view]).toEqual(whole);
    expect(view.length).toBe(6);
    expect(view.at(-1)).toBe(after[0]);
    expect(view[6]).toBeUndefined();
    expect(view.slice(1, 4)).toEqual(whole.slice(1, 4));
    expect(view.filter(({ content }) => content === inside[1]?.content)).toEqual([inside[1]]);
    expect(JSON.parse(JSON.stringify(view))).toEqual(JSON.parse(JSON.stringify(whole)));
    expect(Object.keys(view)).toEqual(['0', '1', '2', '3', '4', '5']);
    expect(5 in view && !(6 in view)).toBe(true);
  });

  test('does not grow when others append to its log', () => {
    const hold = holdPayload(segments(2));
    const early = lazyPayload([], hold, []);
    appendSegments(hold, segments(5));
    expect(early.length).toBe(2);
    expect(early[2]).toBeUndefined();
  });

  test.each([
    ['assignment', (list: Segment[]) => void (list[0] = segment())],
    ['push', (list: Segment[]) => void list.push(segment())],
    ['length', (list: Segment[]) => void (list.length = 0)],
    ['sort', (list: Segment[]) => void list.sort()],
    ['delete', (list: Segment[]) => Reflect.deleteProperty(list, '0')],
    ['defineProperty', (list: Segment[]) => void Object.defineProperty(list, '0', { value: 1 })],
    ['freeze', (list: Segment[]) => void Object.freeze(list)],
    ['setPrototypeOf', (list: Segment[]) => void Object.setPrototypeOf(list, null)],
  ])('refuses to be written to: %s', (_name, write) => {
    verifies('workers.contract.frozen');
    expect(() => write(view as Segment[])).toThrow('read-only');
    expect([...view]).toEqual(whole);
  });
});
