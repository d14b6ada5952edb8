import type { HostClient } from '#protocol/host-client.ts';

interface Listeners {
  readonly on: HostClient['on'];
  /** Calls the listeners of a notification. */
  publish(name: string, notice: unknown): void;
}

/** Keeps the listeners of a client's notifications. `onFirst` is called with the first listener of each name. */
export function createListeners(onFirst: (name: string) => void = () => undefined): Listeners {
  const all = new Map<string, Set<(notice: unknown) => void>>();
  const of = (name: string): Set<(notice: unknown) => void> => {
    const known = all.get(name);
    if (known !== undefined) return known;
    const own = new Set<(notice: unknown) => void>();
    all.set(name, own);
    onFirst(name);
    return own;
  };
  return {
    on: (name, listener) => {
      const own = of(name);
      // The listener's type belongs to the notification's name.
      const heard = listener as (notice: unknown) => void;
      own.add(heard);
      return () => void own.delete(heard);
    },
    publish: (name, notice) => {
      for (const one of [...(all.get(name) ?? [])]) one(notice);
    },
  };
}
