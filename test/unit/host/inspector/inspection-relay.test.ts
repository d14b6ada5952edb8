import { beforeEach, describe, expect, test } from 'vitest';
import { createInspectionHistory } from '../../../../src/host/inspector/inspection-history.ts';
import { createInspectionRelay, type InspectionRelay } from '#host/inspector/index.ts';
import type { InspectionEvent } from '#protocol/inspection.ts';

const base = (sessionId: string) =>
  ({ sessionId, rootId: sessionId, createdAt: '0', id: null, _version: '1' }) as const;
const actor = (id: string): InspectionEvent => ({
  ...base(id),
  type: '@xstate.actor',
  name: id,
  parentId: 'x:0',
  snapshot: { status: 'active' },
});
const snapshot = (id: string, value: string, status = 'active'): InspectionEvent => ({
  ...base(id),
  type: '@xstate.snapshot',
  event: { type: value },
  snapshot: { status, value },
});

let relay: InspectionRelay;
let recorded: InspectionEvent[];
let logged: string[];

beforeEach(() => {
  [recorded, logged] = [[], []];
  relay = createInspectionRelay({
    now: () => 7,
    onEvent: (event) => void recorded.push(event),
    log: (message) => void logged.push(message),
  });
});

function openPage(): { readonly seen: unknown[]; readonly end: () => void } {
  const seen: unknown[] = [];
  return { seen, end: relay.attendPage((message) => void seen.push(message)).end };
}

describe('the relay', () => {
  test('sends a page what was before and what follows, until it is closed', () => {
    const source = relay.open();
    source.take(actor('x:1'));
    const page = openPage();
    source.take(snapshot('x:1', 'a'));
    page.end();
    source.take(snapshot('x:1', 'b'));
    expect(page.seen).toEqual(recorded.slice(0, 2));
    expect(recorded.length).toBe(3);
  });

  test('gives the actors of two sources different ids', () => {
    const [one, other] = [relay.open(), relay.open()];
    for (const source of [one, other]) source.take(actor('x:1'));
    expect(recorded.map((event) => [event.sessionId, event.rootId])).toEqual([
      ['1/x:1', '1/x:1'],
      ['2/x:1', '2/x:1'],
    ]);
    expect(recorded[1]).toMatchObject({ parentId: '2/x:0' });
  });

  test('marks the actors of a source that is gone as stopped, but not those that had ended', () => {
    const source = relay.open();
    source.take(actor('x:1'));
    source.take(actor('x:2'));
    source.take(snapshot('x:2', 'over', 'done'));
    source.end();
    source.end();
    expect(recorded.slice(3)).toEqual([
      expect.objectContaining({ sessionId: '1/x:1', snapshot: { status: 'stopped' }, createdAt: '7' }),
    ]);
  });

  test('ignores what a program sends that is no inspection event, and says so once', () => {
    const program = relay.attendProgram(() => undefined);
    const long = 'x'.repeat(1_001);
    const hostile: readonly unknown[] = [
      ...[null, 7, 'text', [], {}, { type: '@xstate.actor' }],
      ...[{ ...actor('a'), sessionId: 5 }, { ...actor('a'), name: {} }, actor(long), { ...actor('a'), snapshot: 1 }],
      ...[
        { ...snapshot('a', 'b'), event: 'b' },
        { ...snapshot('a', 'b'), snapshot: null },
      ],
      { ...actor('a'), type: 'toString' },
    ];
    for (const message of hostile) program.hear(message);
    expect(recorded).toEqual([]);
    expect(logged).toEqual(['A program sent a message that is not an inspection event; it was ignored.']);
    program.hear(actor('a'));
    expect(recorded.length).toBe(1);
  });
});

describe('the history', () => {
  test('keeps the newest events, and the last state of actors that older ones told of', () => {
    const history = createInspectionHistory({ events: 20, characters: 1e9 });
    history.add(actor('kept'));
    history.add(actor('gone'));
    history.add(snapshot('gone', 'end', 'done'));
    for (let at = 0; at < 100; at += 1) history.add(snapshot('kept', String(at)));
    const all = history.all();
    expect(all.length).toBeLessThanOrEqual(21);
    expect(all[0]).toMatchObject({ type: '@xstate.actor', sessionId: 'kept' });
    expect(all.some(({ sessionId }) => sessionId === 'gone')).toBe(false);
    const [first, second] = all;
    const before = Number(second?.type === '@xstate.snapshot' ? second.snapshot.value : NaN) - 1;
    expect(first).toMatchObject({ snapshot: { value: String(before) } });
    expect(all.at(-1)).toMatchObject({ snapshot: { value: '99' } });
  });

  test('is bounded by characters too', () => {
    const history = createInspectionHistory({ events: 1_000, characters: 5_000 });
    for (let at = 0; at < 500; at += 1) history.add(snapshot('a', 'x'.repeat(100)));
    expect(JSON.stringify(history.all()).length).toBeLessThan(6_000);
  });
});
