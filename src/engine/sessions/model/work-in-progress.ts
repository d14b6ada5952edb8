import { nextTurn } from '#io/clock/next-turn.ts';
import type { SessionId } from '#protocol/id.ts';

/** Work of this process on sessions. While it lasts, the engine lock is kept. */
export interface WorkInProgress {
  /** Counts work until its promise settles. */
  add<Value>(work: Promise<Value>, session?: SessionId): Promise<Value>;
  isIdle(): boolean;
  /** The sessions that have active work. */
  sessions(): readonly SessionId[];
  /** Resolves when no work is active. */
  idle(): Promise<void>;
  /** Adds a listener that is called whenever work ends. */
  onEnd(listener: () => void): void;
}

export function createWorkInProgress(): WorkInProgress {
  const works = new Map<Promise<unknown>, SessionId | null>();
  const listeners: (() => void)[] = [];
  const turn = (): Promise<void> => new Promise((resolve) => nextTurn(resolve));
  return {
    add: (work, session) => {
      // The count is updated before those that await the work continue.
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
        // Work that follows directly starts in the same turn.
        await turn();
      }
    },
    onEnd: (listener) => void listeners.push(listener),
  };
}
