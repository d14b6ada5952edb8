import { nextTurn } from '#io/clock/next-turn.ts';
import type { SessionId } from '#protocol/id.ts';

/** What this process does, and has not ended: while it goes on, the engine is in nobody else's hands. */
export interface UnderWay {
  /** Counts until it has settled, however. */
  add<Value>(work: Promise<Value>, session?: SessionId): Promise<Value>;
  isIdle(): boolean;
  /** For whom something is done. */
  sessions(): readonly SessionId[];
  /** When nothing is done any more. */
  idle(): Promise<void>;
  /** Told whenever something ends. */
  onEnd(listener: () => void): void;
}

export function createUnderWay(): UnderWay {
  const works = new Map<Promise<unknown>, SessionId | null>();
  const listeners: (() => void)[] = [];
  const turn = (): Promise<void> => new Promise((resolve) => nextTurn(resolve));
  return {
    add: (work, session) => {
      // It is known here before whoever waits for it goes on.
      const counted = work.finally(() => {
        works.delete(counted);
        for (const listener of listeners) listener();
      });
      counted.catch(() => undefined);
      works.set(counted, session ?? null);
      return counted;
    },
    isIdle: () => works.size === 0,
    sessions: () => [...new Set([...works.values()].filter((session) => session !== null))],
    idle: async () => {
      while (works.size > 0) {
        await Promise.allSettled(works.keys());
        // What follows from one that has ended begins in the same turn.
        await turn();
      }
    },
    onEnd: (listener) => void listeners.push(listener),
  };
}
