import type { WorkOrder } from '#protocol/key-pool.ts';

/** Counts the billed failures of calls that wait for a key, so that a wait does not restart the count. */
export interface BilledWaits {
  /** Returns the number of billed failures of the same visit before its last wait. */
  billedBefore(order: Pick<WorkOrder, 'scope'>): number;
  /** Records that a call has ended with a wait, or with a result if `billed` is 0. */
  ended(order: Pick<WorkOrder, 'scope'>, billed: number): void;
}

/** The maximum number of visits remembered; beyond it the oldest is forgotten. */
const MOST_VISITS = 1_000;

function visitOf({ scope }: Pick<WorkOrder, 'scope'>): string | null {
  const { run, block, visit } = scope;
  return run === null ? null : JSON.stringify([run, block, visit]);
}

export function createBilledWaits(): BilledWaits {
  const waiting = new Map<string, number>();
  return {
    billedBefore: (order) => waiting.get(visitOf(order) ?? '') ?? 0,
    ended: (order, billed) => {
      const visit = visitOf(order);
      if (visit === null) return;
      waiting.delete(visit);
      if (billed > 0) waiting.set(visit, billed);
      const [oldest] = waiting.keys();
      if (waiting.size > MOST_VISITS && oldest !== undefined) waiting.delete(oldest);
    },
  };
}
