import type { LoggedEvent } from '#protocol/event-line.ts';
import type { RoboSmithEvent } from '#protocol/event.ts';
import type { EndedSubscription } from '#protocol/host.ts';
import type { RunId } from '#protocol/id.ts';
import { messageOf } from '#protocol/message-of.ts';
import { createOutbox, type Outbox, OUTBOX_LIMITS, type OutboxLimits, type SizedItem } from './outbox.ts';

/*
 * Sends events to clients, each at its own pace. Each client has its own queue; one that exceeds its limit ends the
 * subscription, and the client subscribes again from its last event.
 */

export type FeedEvent = LoggedEvent | RoboSmithEvent;

interface FeedClient {
  /** Sends events. Resolves when the operating system has accepted them. */
  send(events: readonly FeedEvent[]): Promise<void>;
  ended(why: Omit<EndedSubscription, 'subscription'>): void;
}

interface Interest {
  readonly run: RunId | null;
  readonly outbox: Outbox<FeedEvent>;
}

export interface Subscription {
  end(): void;
  /** Resolves when all events known or published so far were sent, or the subscription is over. */
  caughtUp(): Promise<void>;
}

/** An event that can't be serialized is replaced as in the log, so that its number is not missing. */
function sizedOf(event: FeedEvent): SizedItem<FeedEvent> {
  try {
    return { item: event, bytes: JSON.stringify(event).length };
  } catch (thrown) {
    const { seq, run_id, trace_id, time, type } = event;
    const placeholder = { seq, run_id, trace_id, time, type, payload: { unserialisable: messageOf(thrown) } };
    return { item: placeholder, bytes: JSON.stringify(placeholder).length };
  }
}

function* allSized(events: readonly FeedEvent[]): Generator<SizedItem<FeedEvent>> {
  for (const event of events) yield sizedOf(event);
}

export interface EventFeed {
  publish(event: RoboSmithEvent): void;
  /** Subscribes. `before`: the known events in order; live ones follow. */
  subscribe(run: RunId | null, before: Promise<readonly FeedEvent[]> | null, client: FeedClient): Subscription;
}

export function createEventFeed(limits: OutboxLimits = OUTBOX_LIMITS): EventFeed {
  const subscriptions = new Set<Interest>();
  return {
    publish: (event) => {
      const interested = [...subscriptions].filter(({ run }) => run === null || run === event.run_id);
      if (interested.length === 0) return;
      const sized = sizedOf(event);
      for (const { outbox } of interested) outbox.take(sized);
    },
    subscribe: (run, before, client) => {
      const forget = (): void => void subscriptions.delete(interest);
      const interest: Interest = { run, outbox: outboxFor(before, client, limits, forget) };
      subscriptions.add(interest);
      const { outbox } = interest;
      const end = (): void => {
        forget();
        outbox.end();
      };
      return { end, caughtUp: outbox.caughtUp };
    },
  };
}

/**
 * Returns the queue of events for one client. Live events are sent after the events in `before`, and duplicates are
 * dropped.
 */
function outboxFor(
  before: Promise<readonly FeedEvent[]> | null,
  client: FeedClient,
  limits: OutboxLimits,
  onOver: () => void,
): Outbox<FeedEvent> {
  let sent = 0;
  let lastRun: string | null = null;
  return createOutbox<FeedEvent>(limits, {
    before: before === null ? null : before.then(allSized),
    send: async (events) => {
      const news = events.filter(({ seq, run_id }) => run_id !== lastRun || seq > sent);
      const last = news.at(-1);
      if (last === undefined) return;
      await client.send(news);
      sent = last.seq;
      lastRun = last.run_id;
    },
    onFull: (count) => {
      const message = `${count} events were not read in time; subscribe again from ${sent}.`;
      client.ended({ why: 'too_slow', message, after: sent });
    },
    onOver,
  });
}
