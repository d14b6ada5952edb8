import { expect, test } from 'vitest';
import { inspectMethods } from '../../../../src/host/server/inspect-methods.ts';
import type { Caller } from '../../../../src/host/server/methods/methods.ts';
import type { InspectionEvent } from '#protocol/inspection.ts';

type Sink = (event: InspectionEvent) => void;

const base = { rootId: 'a', createdAt: '0', id: null, _version: '1' } as const;
const actor = (sessionId: string, definition: string): InspectionEvent => ({
  ...base,
  sessionId,
  type: '@xstate.actor',
  name: sessionId,
  definition,
  snapshot: { status: 'active' },
});
const event = (type: string): InspectionEvent => ({ ...base, sessionId: 'a', type: '@xstate.event', event: { type } });

/**
 * A fake engine: it sends the events in `tree` to each new inspector, and the events passed to `emit` to all of them.
 */
function engine(tree: readonly InspectionEvent[]) {
  const sinks = new Set<Sink>();
  return {
    sinks,
    emit: (one: InspectionEvent) => {
      for (const sink of sinks) sink(one);
    },
    inspect: (sink: Sink) => {
      sinks.add(sink);
      for (const one of tree) sink(one);
      return () => void sinks.delete(sink);
    },
  };
}

interface SentNotice {
  readonly name: string;
  readonly events: readonly InspectionEvent[];
}

/** A client that reads each notice when `read` is called. */
function client() {
  const sent: SentNotice[] = [];
  const unread: PromiseWithResolvers<undefined>[] = [];
  const gone: (() => void)[] = [];
  const caller: Caller = {
    isLocal: false,
    notify: (name, notice) => {
      sent.push({ name, events: 'events' in notice ? (notice.events as readonly InspectionEvent[]) : [] });
      const reading = Promise.withResolvers<undefined>();
      unread.push(reading);
      return reading.promise;
    },
    onGone: (work) => void gone.push(work),
  };
  return {
    caller,
    sent,
    events: () => sent.flatMap(({ events }) => events),
    read: async () => {
      for (let turns = 0; turns < 1_000; turns += 1) {
        for (const { resolve } of unread.splice(0)) resolve(undefined);
        await Promise.resolve();
      }
    },
    leave: async () => {
      for (const { reject } of unread.splice(0)) reject(new Error('gone'));
      for (const work of gone) work();
      await Promise.resolve();
    },
  };
}

test('a tree of any size is sent, in parts and in order, before what happens', async () => {
  const definition = 'x'.repeat(1_000_000);
  const tree = Array.from({ length: 60 }, (_, at) => actor(String(at), definition));
  const { inspect, emit, sinks } = engine(tree);
  const { caller, sent, events, read } = client();
  await inspectMethods(inspect)['inspect.open']({}, caller);
  emit(event('first'));
  await read();
  emit(event('second'));
  await read();
  expect(events()).toEqual([...tree, event('first'), event('second')]);
  expect(sent.every(({ events: part }) => part.length <= 2)).toBe(true);
  expect(sinks.size).toBe(1);
});

test('a client that never reads is told so once, and costs nothing from then on', async () => {
  const { inspect, emit, sinks } = engine([actor('a', '{}')]);
  const { caller, sent } = client();
  await inspectMethods(inspect)['inspect.open']({}, caller);
  let count = 0;
  while (sinks.size > 0 && count < 100_000) {
    emit(event(String(count)));
    count += 1;
  }
  expect(count).toBe(50_001);
  await Promise.resolve();
  expect(sent.map(({ name }) => name)).toEqual(['inspection', 'inspection.ended']);
});

test('a client that leaves mid-way is observed for no longer', async () => {
  const { inspect, emit, sinks } = engine([actor('a', '{}')]);
  const { caller, leave } = client();
  await inspectMethods(inspect)['inspect.open']({}, caller);
  emit(event('first'));
  await leave();
  emit(event('second'));
  expect(sinks.size).toBe(0);
});
