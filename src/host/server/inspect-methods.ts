import type { InspectionEvent } from '#protocol/inspection.ts';
import type { Caller, Methods } from './methods/methods.ts';
import { createOutbox, type OutboxLimits, type SizedItem } from './feeds/outbox.ts';
import { countOf, paramsOf } from './methods/read-params.ts';
import { createSubscriptions } from './methods/subscriptions.ts';

/** The maximum number of subscriptions per connection. Each receives all events. */
const MOST_SUBSCRIPTIONS = 4;

const LIMITS: OutboxLimits = { items: 50_000, bytes: 32e6, batchBytes: 256_000 };

interface Subscribed {
  end(): void;
}

const sized = (event: InspectionEvent): SizedItem<InspectionEvent> => ({
  item: event,
  bytes: JSON.stringify(event).length,
});

function* allSized(events: readonly InspectionEvent[]): Generator<SizedItem<InspectionEvent>> {
  for (const event of events) yield sized(event);
}

/** Sends the engine's inspection events to one client. A client that does not keep up loses its subscription, not the engine. */
function subscribe(
  inspect: (sink: (event: InspectionEvent) => void) => () => void,
  caller: Caller,
  subscription: number,
  onOver: () => void,
): Subscribed {
  let stop: () => void = () => undefined;
  const over = (): void => {
    stop();
    onOver();
  };
  // The existing actors are sent first and don't count for the queue's limit: otherwise a large tree of actors could
  // never be sent. They need little memory, because they share the texts of their charts.
  const tree: InspectionEvent[] = [];
  let take = (event: InspectionEvent): void => void tree.push(event);
  stop = inspect((event) => take(event));
  const outbox = createOutbox<InspectionEvent>(LIMITS, {
    before: Promise.resolve(allSized(tree)),
    send: (events) => caller.notify('inspection', { subscription, events }),
    onFull: (count) => {
      const message = `${count} inspection events were not read in time.`;
      caller.notify('inspection.ended', { subscription, message }).catch(() => undefined);
    },
    onOver: over,
  });
  take = (event) => outbox.take(sized(event));
  return {
    end: () => {
      stop();
      outbox.end();
    },
  };
}

/** Returns the methods with which a client inspects the live actors of the engine. */
export function inspectMethods(
  inspect: (sink: (event: InspectionEvent) => void) => () => void,
): Methods<'inspect.open' | 'inspect.close'> {
  const subscriptions = createSubscriptions<Subscribed>(MOST_SUBSCRIPTIONS);
  return {
    'inspect.open': (_params, caller) => {
      const subscription = subscriptions.add(caller, (number) =>
        subscribe(inspect, caller, number, () => subscriptions.forget(caller, number)),
      );
      return { subscription };
    },
    'inspect.close': (params, caller) => {
      subscriptions.end(caller, countOf(paramsOf(params), 'subscription'));
      return {};
    },
  };
}
