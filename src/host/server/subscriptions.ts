import type { Caller } from './methods.ts';

export interface Subscriptions<One> {
  /** Gives its number. */
  add(caller: Caller, begin: (subscription: number) => One): number;
  find(caller: Caller, subscription: number): One | undefined;
  /** Ends it, where it is one of this connection. */
  end(caller: Caller, subscription: number): void;
  /** It is over by itself. */
  forget(caller: Caller, subscription: number): void;
}

/** What each connection follows, by number. It ends with the connection; one that makes more than `most` loses its oldest. */
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
