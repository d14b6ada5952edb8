import type { Methods } from './methods/methods.ts';
import { countOf, paramsOf } from './methods/read-params.ts';
import type { SessionFeed } from './feeds/session-feed.ts';
import { createSubscriptions } from './methods/subscriptions.ts';

/** The maximum number of subscriptions per connection: each starts with the whole list. */
const MOST_SUBSCRIPTIONS = 16;

/** Returns the methods that send all sessions, and then their changes. */
export function sessionFeedMethods(feed: SessionFeed): Methods<'sessions.subscribe' | 'sessions.unsubscribe'> {
  const subscriptions = createSubscriptions<ReturnType<SessionFeed['subscribe']>>(MOST_SUBSCRIPTIONS);
  return {
    'sessions.subscribe': (_params, caller) => {
      const subscription = subscriptions.add(caller, (number) =>
        feed.subscribe({
          send: (news) => caller.notify('sessions', { subscription: number, ...news }),
          ended: (why) => {
            subscriptions.forget(caller, number);
            caller.notify('sessions.ended', { subscription: number, ...why }).catch(() => undefined);
          },
        }),
      );
      return { subscription };
    },
    'sessions.unsubscribe': (params, caller) => {
      subscriptions.end(caller, countOf(paramsOf(params), 'subscription'));
      return {};
    },
  };
}
