import type { LoggedEvent } from '#protocol/event-line.ts';
import type { RoboSmithEvent } from '#protocol/event.ts';
import type { EndedSubscription } from '#protocol/host.ts';
import type { RunId } from '#protocol/id.ts';

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

interface Subscription {
  readonly run: RunId | null;
  take(queued: Queued): void;
}

const bytesOf = (event: TellEvent): number => {
  try {
    return JSON.stringify(event).length;
  } catch {
    // It is no JSON; the log has a description of it.
    return 0;
  }
};

export interface EventFeed {
  publish(event: RoboSmithEvent): void;
  /** `before`: what is known already, in order; live ones follow. Returns what ends it. */
  subscribe(run: RunId | null, before: Promise<readonly TellEvent[]> | null, client: FeedClient): () => void;
}

export function createEventFeed(limits: FeedLimits = LIMITS): EventFeed {
  const subscriptions = new Set<Subscription>();
  return {
    publish: (event) => {
      const interested = [...subscriptions].filter(({ run }) => run === null || run === event.run_id);
      if (interested.length === 0) return;
      const queued = { event, bytes: bytesOf(event) };
      if (queued.bytes > 0) for (const one of interested) one.take(queued);
    },
    subscribe: (run, before, client) => {
      const subscription: Subscription = { run, take: subscriber(before, client, limits, () => end()) };
      const end = (): void => void subscriptions.delete(subscription);
      subscriptions.add(subscription);
      return end;
    },
  };
}

/** Takes live events for one client, and sends them when it has read what was before. */
function subscriber(
  before: Promise<readonly TellEvent[]> | null,
  client: FeedClient,
  { events: mostEvents, bytes: mostBytes, batchBytes }: FeedLimits,
  end: () => void,
): (queued: Queued) => void {
  let queue: Queued[] = [];
  let bytes = 0;
  let sent = 0;
  let lastRun: string | null = null;
  let over = false;
  let sending = false;

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
    if (sending) return;
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
  if (before !== null) void begin(before);

  return (queued) => {
    if (over) return;
    queue.push(queued);
    bytes += queued.bytes;
    if (queue.length > mostEvents || bytes > mostBytes) {
      const message = `${queue.length} events were not read in time; subscribe again from ${sent}.`;
      stop();
      client.ended({ why: 'too_slow', message, after: sent });
    } else void pump();
  };
}

function* inParts(events: readonly TellEvent[], batchBytes: number): Generator<readonly TellEvent[]> {
  let part: TellEvent[] = [];
  let size = 0;
  for (const event of events) {
    part.push(event);
    size += bytesOf(event);
    if (size < batchBytes) continue;
    yield part;
    part = [];
    size = 0;
  }
  yield part;
}
