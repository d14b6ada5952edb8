import { messageOf } from '#protocol/message-of.ts';
import type { RecoveredInput } from './recover-state.ts';

interface Waiting {
  readonly resolve: (value: RecoveredInput) => void;
  readonly reject: (thrown: unknown) => void;
}

/** The requests for remembered values that were not returned yet. */
export interface ReplayRequests {
  has(id: string): boolean;
  /** Returns whether there is exactly one request. */
  isAlone(): boolean;
  /** Adds a request. `onSettled` is called when it is answered, refused or stopped. */
  add(id: string, waiting: Waiting, signal: AbortSignal, onSettled: () => void): void;
  give(value: RecoveredInput): void;
  refuseAll(thrown: unknown): void;
}

export function createReplayRequests(): ReplayRequests {
  const waiting = new Map<string, Waiting>();
  return {
    has: (id) => waiting.has(id),
    isAlone: () => waiting.size === 1,
    add: (id, { resolve, reject }, signal, onSettled) => {
      const settle = (work: () => void): void => {
        waiting.delete(id);
        signal.removeEventListener('abort', stop);
        onSettled();
        work();
      };
      const stop = (): void => settle(() => reject(new Error('the visit was stopped')));
      waiting.set(id, {
        resolve: (value) => settle(() => resolve(value)),
        reject: (thrown) => settle(() => reject(thrown instanceof Error ? thrown : new Error(messageOf(thrown)))),
      });
      if (signal.aborted) stop();
      else signal.addEventListener('abort', stop, { once: true });
    },
    give: (value) => waiting.get(value.id)?.resolve(value),
    refuseAll: (thrown) => {
      for (const { reject } of waiting.values()) reject(thrown);
      waiting.clear();
    },
  };
}
