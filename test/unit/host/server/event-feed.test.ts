import { describe, expect, test } from 'vitest';
import type { RoboSmithEvent } from '#protocol/event.ts';
import type { RunId } from '#protocol/id.ts';
import { createEventFeed } from '#host/server/feeds/event-feed.ts';

const RUN = 'r1' as RunId;
const OTHER = 'r2' as RunId;

const event = (seq: number, run = RUN, more: object = {}): RoboSmithEvent => ({
  type: 'run.resumed',
  seq,
  run_id: run,
  trace_id: 't',
  time: 0,
  ...more,
});

const LIMITS = { items: 10, bytes: 100_000, batchBytes: 300 };

/** Creates a client that reads only when the test says so. */
function client() {
  const batches: number[][] = [];
  const ends: unknown[] = [];
  let taken = Promise.withResolvers<undefined>();
  return {
    batches,
    ends,
    read: async (): Promise<void> => {
      const before = taken;
      taken = Promise.withResolvers();
      before.resolve(undefined);
      await new Promise(setImmediate);
    },
    send: (events: readonly { readonly seq: number }[]): Promise<void> => {
      batches.push(events.map(({ seq }) => seq));
      return taken.promise;
    },
    ended: (why: unknown): void => void ends.push(why),
  };
}

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('event feed', () => {
  test('what is known comes first, then what comes meanwhile; nothing twice, nothing of other runs', async () => {
    const feed = createEventFeed(LIMITS);
    const one = client();
    const known = Promise.withResolvers<readonly RoboSmithEvent[]>();
    feed.subscribe(RUN, known.promise, one);
    feed.publish(event(3));
    feed.publish(event(1, OTHER));
    known.resolve([event(1), event(2), event(3)]);
    await turn();
    feed.publish(event(4));
    for (let reads = 0; reads < 5; reads += 1) await one.read();
    expect(one.batches.flat()).toEqual([1, 2, 3, 4]);
    expect(one.ends).toEqual([]);
  });

  test('who does not read is dropped at the limit, told from where to go on, and hears nothing more', async () => {
    const feed = createEventFeed(LIMITS);
    const [slow, quick] = [client(), client()];
    feed.subscribe(RUN, null, slow);
    feed.subscribe(null, null, {
      ...quick,
      send: async (events) => {
        void quick.send(events);
        await turn();
      },
    });
    for (let seq = 1; seq <= 30; seq += 1) {
      feed.publish(event(seq));
      await turn();
    }
    expect(quick.batches.flat()).toEqual(Array.from({ length: 30 }, (_, n) => n + 1));
    expect(slow.batches).toEqual([[1]]);
    expect(slow.ends).toMatchObject([{ why: 'too_slow', after: 0 }]);
    await slow.read();
    feed.publish(event(31));
    await turn();
    expect(slow.batches).toEqual([[1]]);
  });

  test('large events count by their size', () => {
    const feed = createEventFeed(LIMITS);
    const slow = client();
    feed.subscribe(RUN, null, slow);
    for (let seq = 1; seq <= 4; seq += 1) feed.publish(event(seq, RUN, { text: 'x'.repeat(40_000) }));
    expect(slow.ends).toHaveLength(1);
  });

  test('batches are bounded, and an end ends it', async () => {
    const feed = createEventFeed({ ...LIMITS, items: 100 });
    const one = client();
    const { end } = feed.subscribe(null, null, one);
    for (let seq = 1; seq <= 20; seq += 1) feed.publish(event(seq));
    for (let reads = 0; reads < 30; reads += 1) await one.read();
    expect(one.batches.flat()).toEqual(Array.from({ length: 20 }, (_, n) => n + 1));
    expect(Math.max(...one.batches.map(({ length }) => length))).toBeLessThanOrEqual(5);
    end();
    feed.publish(event(21));
    expect(one.batches.flat().at(-1)).toBe(20);
  });

  test('an event that is no JSON is told of as in the log, live and from before', async () => {
    const feed = createEventFeed(LIMITS);
    const sent: unknown[] = [];
    const one = {
      send: (events: readonly unknown[]): Promise<void> => {
        sent.push(...events);
        return Promise.resolve();
      },
      ended: () => undefined,
    };
    const { caughtUp } = feed.subscribe(RUN, Promise.resolve([event(1, RUN, { text: 1n })]), one);
    await turn();
    feed.publish(event(2, RUN, { text: 1n }));
    await caughtUp();
    const payload = { unserialisable: expect.stringContaining('BigInt') as string };
    expect(sent).toMatchObject([
      { seq: 1, run_id: RUN, type: 'run.resumed', payload },
      { seq: 2, run_id: RUN, type: 'run.resumed', payload },
    ]);
  });

  test('it has caught up when all that was published has been sent', async () => {
    const feed = createEventFeed(LIMITS);
    const one = client();
    const { caughtUp } = feed.subscribe(RUN, Promise.resolve([event(1)]), one);
    feed.publish(event(2));
    let isThere = false;
    void caughtUp().then(() => (isThere = true));
    await turn();
    expect([one.batches, isThere]).toEqual([[[1]], false]);
    await one.read();
    expect([one.batches, isThere]).toEqual([[[1], [2]], false]);
    await one.read();
    expect(isThere).toBe(true);
  });
});
