/** One request of a key in the last minute. */
export interface SharedRequest {
  readonly id: string;
  /** Milliseconds since the epoch. */
  readonly at: number;
  readonly tokens: number;
}

export interface SharedSpending {
  readonly microUsd: number;
  readonly tokens: number;
  readonly requests: number;
  /** Requests whose price is unknown. */
  readonly unpriced: number;
}

/** How something stands for all processes. */
export interface SharedStanding {
  /** Counts its troubles: a higher number is newer. */
  readonly epoch: number;
  /** JSON, without secrets. */
  readonly body: string;
}

/**
 * What the processes of one user share of their keys: requests of the last minute, spending and standing. Keys are named by
 * fingerprints. Nothing here throws: what cannot be read is empty, and what cannot be written is lost.
 */
export interface SharedLimits {
  /** Another number each time that another process has written; null: nothing is shared. */
  version(): number | null;
  /** Runs `work` while no other process writes. */
  exclusively<Value>(work: () => Value): Value;
  requests(key: string, since: number): readonly SharedRequest[];
  /** Enters a request, or corrects its tokens. */
  putRequest(key: string, request: SharedRequest): void;
  spent(account: string): SharedSpending | null;
  /** Adds to what was spent; amounts may be negative. */
  spend(account: string, amounts: SharedSpending, at: number): void;
  standings(): ReadonlyMap<string, SharedStanding>;
  putStanding(gate: string, standing: SharedStanding, at: number): void;
  close(): void;
}
