import type { LoggedEvent } from '#protocol/event-line.ts';
import type { RoboSmithEvent } from '#protocol/event.ts';
import type { EndedSubscription } from '#protocol/host.ts';
import type { RunId } from '#protocol/id.ts';
import { messageOf } from '#protocol/message-of.ts';

/*
 * Tells events to clients, each at its own speed: nobody waits for one that does not read. What it has not taken stands in a
 * queue of its own; one that is over its limit ends that subscription, and the client begins again where it was.
 */

export type TellEvent = LoggedEvent | RoboSmithEvent;

export interface FeedClient {
  /** Ends when the system has taken them. */
  send(events: readonly TellEvent[]): Promise<void>;
  ended(why: Omit<EndedSubscription, 'subscription'>): void;
}

export interface FeedLimits {
  /** In the queue of one subscription. */
  readonly events: number;
  readonly bytes: number;
  /** Of one message. */
  readonly batchBytes: number;
}

const LIMITS: FeedLimits = { events: 10_000, bytes: 8e6, batchBytes: 256_000 };

interface Queued {
  readonly event: TellEvent;
  readonly bytes: number;
}

interface Subscriber {
  take(queued: Queued): void;
  caughtUp(): Promise<void>;
}

interface Interest extends Subscriber {
  readonly run: RunId | null;
}

export interface Subscription {
  end(): void;
  /** When all that was known or published by now has been sent, or it is over. */
  caughtUp(): Promise<void>;
}

/** What is no JSON is told of as in the log, so that its number is not missing. */
function queuedOf(event: TellEvent): Queued {
  try {
    return { event, bytes: JSON.stringify(event).length };
  } catch (thrown) {
    const { seq, run_id, trace_id, time, type } = event;
    const told = { seq, run_id, trace_id, time, type, payload: { unserialisable: messageOf(thrown) } };
    return { event: told, bytes: JSON.stringify(told).length };
  }
}

export interface EventFeed {
  publish(event: RoboSmithEvent): void;
  /** `before`: what is known already, in order; live ones follow. */
  subscribe(run: RunId | null, before: Promise<readonly TellEvent[]> | null, client: FeedClient): Subscription;
}

export function createEventFeed(limits: FeedLimits = LIMITS): EventFeed {
  const subscriptions = new Set<Interest>();
  return {
    publish: (event) => {
      const interested = [...subscriptions].filter(({ run }) => run === null || run === event.run_id);
      if (interested.length === 0) return;
      const queued = queuedOf(event);
      for (const one of interested) one.take(queued);
    },
    subscribe: (run, before, client) => {
      const interest: Interest = { run, ...subscriber(before, client, limits, () => end()) };
      const end = (): void => void subscriptions.delete(interest);
      subscriptions.add(interest);
      return { end, caughtUp: interest.caughtUp };
    },
  };
}

/** Takes live events for one client, and sends them when it has read what was before. */
function subscriber(
  before: Promise<readonly TellEvent[]> | null,
  client: FeedClient,
  { events: mostEvents, bytes: mostBytes, batchBytes }: FeedLimits,
  end: () => void,
): Subscriber {
  let queue: Queued[] = [];
  let bytes = 0;
  let sent = 0;
  let lastRun: string | null = null;
  let over = false;
  let sending = false;
  let work: Promise<void> = Promise.resolve();

  const nextBatch = (): readonly TellEvent[] => {
    let size = 0;
    const upTo = queue.findIndex((one) => (size += one.bytes) > batchBytes);
    const batch = queue.splice(0, upTo === -1 ? queue.length : Math.max(1, upTo));
    for (const one of batch) bytes -= one.bytes;
    return batch.map(({ event }) => event);
  };
  const send = async (events: readonly TellEvent[]): Promise<void> => {
    const news = events.filter(({ seq, run_id }) => run_id !== lastRun || seq > sent);
    const last = news.at(-1);
    if (last === undefined) return;
    await client.send(news);
    sent = last.seq;
    lastRun = last.run_id;
  };
  const stop = (): void => {
    over = true;
    queue = [];
    end();
  };
  const pump = async (): Promise<void> => {
    sending = true;
    try {
      while (queue.length > 0 && !over) await send(nextBatch());
    } catch {
      // The client is gone.
      stop();
    }
    sending = false;
  };
  const begin = async (known: Promise<readonly TellEvent[]>): Promise<void> => {
    sending = true;
    try {
      for (const part of inParts(await known, batchBytes)) await send(part);
    } catch {
      stop();
    }
    sending = false;
    await pump();
  };
  if (before !== null) work = begin(before);

  const take = (queued: Queued): void => {
    if (over) return;
    queue.push(queued);
    bytes += queued.bytes;
    if (queue.length > mostEvents || bytes > mostBytes) {
      const message = `${queue.length} events were not read in time; subscribe again from ${sent}.`;
      stop();
      client.ended({ why: 'too_slow', message, after: sent });
    } else if (!sending) work = pump();
  };
  return { take, caughtUp: () => work };
}

function* inParts(events: readonly TellEvent[], batchBytes: number): Generator<readonly TellEvent[]> {
  let part: TellEvent[] = [];
  let size = 0;
  for (const one of events) {
    const { event, bytes } = queuedOf(one);
    part.push(event);
    size += bytes;
    if (size < batchBytes) continue;
    yield part;
    part = [];
    size = 0;
  }
  yield part;
}
