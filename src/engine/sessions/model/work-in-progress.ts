import { nextTurn } from '#io/clock/turn-budget.ts';
import type { SessionId } from '#protocol/id.ts';

/** Work of this process on sessions. */
export interface WorkInProgress {
  /** Counts work until its promise settles. The engine keeps its lock that long. */
  add<Value>(work: Promise<Value>, session?: SessionId): Promise<Value>;
  /** Counts a comparison. It writes nothing after a stop, so the engine may release its lock before the comparison ends. */
  addComparison(work: Promise<void>): void;
  isIdle(): boolean;
  /** Returns whether work is active that needs the engine lock. */
  needsLock(): boolean;
  /** The sessions that have active work. */
  sessions(): readonly SessionId[];
  /** Resolves when no work is active. */
  idle(): Promise<void>;
  /** Adds a listener that is called whenever work ends. */
  onEnd(listener: () => void): void;
}

interface CountedWork {
  readonly session: SessionId | null;
  readonly needsLock: boolean;
}

export function createWorkInProgress(): WorkInProgress {
  const works = new Map<Promise<unknown>, CountedWork>();
  const listeners: (() => void)[] = [];
  const turn = (): Promise<void> => new Promise((resolve) => nextTurn(resolve));
  const count = <Value>(work: Promise<Value>, what: CountedWork): Promise<Value> => {
    // The work is removed from the count before the code that awaits it continues.
    const counted = work.finally(() => {
      works.delete(counted);
      for (const listener of listeners) listener();
    });
    counted.catch(() => undefined);
    works.set(counted, what);
    return counted;
  };
  return {
    add: (work, session) => count(work, { session: session ?? null, needsLock: true }),
    addComparison: (work) => void count(work, { session: null, needsLock: false }),
    isIdle: () => works.size === 0,
    needsLock: () => [...works.values()].some(({ needsLock }) => needsLock),
    sessions: () => [...new Set(Array.from(works.values(), ({ session }) => session).filter((one) => one !== null))],
    idle: async () => {
      while (works.size > 0) {
        await Promise.allSettled(works.keys());
        // Waits one turn, because work that follows the settled work is registered in this turn.
        await turn();
      }
    },
    onEnd: (listener) => void listeners.push(listener),
  };
}
