import type { Caller } from './methods.ts';

interface Subscriptions<One> {
  /** Adds a subscription and returns its number. */
  add(caller: Caller, begin: (subscription: number) => One): number;
  find(caller: Caller, subscription: number): One | undefined;
  /** Ends a subscription if it belongs to this connection. */
  end(caller: Caller, subscription: number): void;
  /** Removes a subscription that has ended. */
  forget(caller: Caller, subscription: number): void;
}

/**
 * The subscriptions of each connection, by number. They end with the connection; the oldest ends when there are more
 * than `most`.
 */
export function createSubscriptions<One extends { end(): void }>(most: number): Subscriptions<One> {
  const all = new WeakMap<Caller, Map<number, One>>();
  let last = 0;

  const ofCaller = (caller: Caller): Map<number, One> => {
    const known = all.get(caller);
    if (known !== undefined) return known;
    const mine = new Map<number, One>();
    all.set(caller, mine);
    caller.onGone(() => {
      for (const one of mine.values()) one.end();
      mine.clear();
    });
    return mine;
  };
  const end = (mine: Map<number, One>, subscription: number): void => {
    mine.get(subscription)?.end();
    mine.delete(subscription);
  };

  return {
    add: (caller, begin) => {
      const mine = ofCaller(caller);
      const oldest = mine.size >= most ? mine.keys().next().value : undefined;
      if (oldest !== undefined) end(mine, oldest);
      last += 1;
      const subscription = last;
      mine.set(subscription, begin(subscription));
      return subscription;
    },
    find: (caller, subscription) => ofCaller(caller).get(subscription),
    end: (caller, subscription) => end(ofCaller(caller), subscription),
    forget: (caller, subscription) => void ofCaller(caller).delete(subscription),
  };
}
