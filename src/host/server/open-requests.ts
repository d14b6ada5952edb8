import type { HostMethod } from '#protocol/host.ts';
import { stoppingError } from './begin-runs.ts';
import type { MethodTable } from './methods/methods.ts';

/** Requests that only wait for something else, and requests about the host itself. They don't keep a host from ending. */
const UNCOUNTED: ReadonlySet<string> = new Set<HostMethod>([
  ...(['status', 'host.stop', 'run.settled', 'session.moved', 'events.caughtUp'] as const),
]);

/** The requests that a host has begun and not answered yet. */
export interface OpenRequests {
  isIdle(): boolean;
  /** Resolves when no request is open. */
  idle(): Promise<void>;
  /** Returns the same methods. Their requests are counted, and refused once the host closes. */
  counted(methods: MethodTable, isClosing: () => boolean): MethodTable;
}

export function createOpenRequests(): OpenRequests {
  let count = 0;
  let onIdle: (() => void)[] = [];
  const ended = (): void => {
    count -= 1;
    if (count > 0) return;
    const listeners = onIdle;
    onIdle = [];
    for (const listener of listeners) listener();
  };
  return {
    isIdle: () => count === 0,
    idle: () => (count === 0 ? Promise.resolve() : new Promise((resolve) => onIdle.push(resolve))),
    counted: (methods, isClosing) => {
      const all = new Map(methods);
      for (const [name, handle] of methods)
        if (!UNCOUNTED.has(name))
          all.set(name, async (params, caller) => {
            if (isClosing()) throw stoppingError();
            count += 1;
            try {
              return await handle(params, caller);
            } finally {
              ended();
            }
          });
      return all;
    },
  };
}
