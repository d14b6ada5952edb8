import { nextTurn, runEvents } from '#engine/index.ts';
import type { RunId } from '#protocol/id.ts';
import type { EventFeed, Subscription, FeedEvent } from './feeds/event-feed.ts';
import type { HostedRuns } from './runs/hosted-runs.ts';
import type { Methods } from './methods/methods.ts';
import { countOf, paramsOf, runOf } from './methods/read-params.ts';
import { createSubscriptions } from './methods/subscriptions.ts';

interface EventMethodsParts {
  readonly root: string;
  readonly hosted: HostedRuns;
  readonly feed: EventFeed;
}

/** The maximum number of subscriptions per connection. */
const MOST_SUBSCRIPTIONS = 256;

/** Returns the methods for events: known events from a number on, then live ones. */
export function eventMethods({
  root,
  hosted,
  feed,
}: EventMethodsParts): Methods<'events.subscribe' | 'events.unsubscribe' | 'events.caughtUp'> {
  const subscriptions = createSubscriptions<Subscription>(MOST_SUBSCRIPTIONS);
  const known = (run: RunId, after: number): Promise<readonly FeedEvent[]> => {
    const recent = hosted.find(run)?.recent().slice() ?? [];
    const [first] = recent;
    if (first !== undefined && first.seq <= after + 1) return Promise.resolve(recent.filter(({ seq }) => seq > after));
    return fromLog(root, run, after, recent);
  };

  return {
    'events.subscribe': (params, caller) => {
      const given = paramsOf(params);
      const run = given['run'] === null ? null : runOf(given);
      const after = countOf(given, 'after');
      const subscription = subscriptions.add(caller, (number) =>
        feed.subscribe(run, run === null ? null : known(run, after), {
          send: (events) => caller.notify('events', { subscription: number, events }),
          ended: (why) => {
            subscriptions.forget(caller, number);
            caller.notify('events.ended', { subscription: number, ...why }).catch(() => undefined);
          },
        }),
      );
      return { subscription };
    },
    'events.unsubscribe': (params, caller) => {
      subscriptions.end(caller, countOf(paramsOf(params), 'subscription'));
      return {};
    },
    'events.caughtUp': async (params, caller) => {
      await subscriptions.find(caller, countOf(paramsOf(params), 'subscription'))?.caughtUp();
      return {};
    },
  };
}

/**
 * Waits for the next turn of the event loop. Events that are written in one turn can be read from the log two turns
 * later.
 */
const turn = (): Promise<void> => new Promise((resolve) => nextTurn(resolve));

async function fromLog(
  root: string,
  run: RunId,
  after: number,
  recent: readonly FeedEvent[],
): Promise<readonly FeedEvent[]> {
  await turn();
  await turn();
  const from = recent[0]?.seq ?? Number.POSITIVE_INFINITY;
  return [...logged(root, run, after).filter(({ seq }) => seq < from), ...recent];
}

function logged(root: string, run: RunId, after: number): readonly FeedEvent[] {
  try {
    return runEvents(root, { run, afterSeq: after, resolve: true }).events;
  } catch {
    // The log may be incomplete or unreadable. The client reports the missing events.
    return [];
  }
}
