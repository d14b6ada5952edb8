import { nextTurn, runEvents } from '#engine/index.ts';
import type { RunId } from '#protocol/id.ts';
import type { EventFeed, Subscription, TellEvent } from './event-feed.ts';
import type { HostedRuns } from './hosted-runs.ts';
import type { Caller, Methods } from './methods.ts';
import { countOf, paramsOf, runOf } from './read-params.ts';

export interface EventMethodsParts {
  readonly root: string;
  readonly hosted: HostedRuns;
  readonly feed: EventFeed;
}

/** Of one connection. */
const MOST_SUBSCRIPTIONS = 256;

/** Events from any number on: first those that are known, then those that come. */
export function eventMethods({
  root,
  hosted,
  feed,
}: EventMethodsParts): Methods<'events.subscribe' | 'events.unsubscribe' | 'events.caughtUp'> {
  const subscriptions = new WeakMap<Caller, Map<number, Subscription>>();
  let last = 0;

  const ofCaller = (caller: Caller): Map<number, Subscription> => {
    const known = subscriptions.get(caller);
    if (known !== undefined) return known;
    const mine = new Map<number, Subscription>();
    subscriptions.set(caller, mine);
    caller.onGone(() => {
      for (const one of mine.values()) one.end();
      mine.clear();
    });
    return mine;
  };
  const known = (run: RunId, after: number): Promise<readonly TellEvent[]> => {
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
      const mine = ofCaller(caller);
      const oldest = mine.size >= MOST_SUBSCRIPTIONS ? mine.keys().next().value : undefined;
      if (oldest !== undefined) mine.get(oldest)?.end();
      if (oldest !== undefined) mine.delete(oldest);
      last += 1;
      const subscription = last;
      const begun = feed.subscribe(run, run === null ? null : known(run, after), {
        send: (events) => caller.notify('events', { subscription, events }),
        ended: (why) => {
          mine.delete(subscription);
          caller.notify('events.ended', { subscription, ...why }).catch(() => undefined);
        },
      });
      mine.set(subscription, begun);
      return { subscription };
    },
    'events.unsubscribe': (params, caller) => {
      const subscription = countOf(paramsOf(params), 'subscription');
      const mine = ofCaller(caller);
      mine.get(subscription)?.end();
      mine.delete(subscription);
      return {};
    },
    'events.caughtUp': async (params, caller) => {
      await ofCaller(caller)
        .get(countOf(paramsOf(params), 'subscription'))
        ?.caughtUp();
      return {};
    },
  };
}

/** What was written in this turn can be read in the one after the next. */
const turn = (): Promise<void> => new Promise((resolve) => nextTurn(resolve));

async function fromLog(
  root: string,
  run: RunId,
  after: number,
  recent: readonly TellEvent[],
): Promise<readonly TellEvent[]> {
  await turn();
  await turn();
  const from = recent[0]?.seq ?? Number.POSITIVE_INFINITY;
  return [...logged(root, run, after).filter(({ seq }) => seq < from), ...recent];
}

function logged(root: string, run: RunId, after: number): readonly TellEvent[] {
  try {
    return runEvents(root, { run, afterSeq: after, resolve: true }).events;
  } catch {
    // The log is no state: what it does not have, the client is told to be missing.
    return [];
  }
}
