/** One request that was sent with a key in the last minute. */
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

/** The state of a key, account, endpoint or model, shared by all processes. */
export interface SharedStanding {
  /** The number of failures so far: a state with a higher number is newer. */
  readonly epoch: number;
  /** JSON, without secrets. */
  readonly body: string;
}

/**
 * The data about keys that the processes of one user share: requests of the last minute, spending and states. Keys are
 * identified by fingerprints. Nothing here throws: data that can't be read counts as empty, and data that can't be
 * written is lost.
 */
export interface SharedLimits {
  /** Returns a number that changes whenever another process has written; null if nothing is shared. */
  version(): number | null;
  /** Runs `work` while no other process writes. */
  exclusively<Value>(work: () => Value): Value;
  requests(key: string, since: number): readonly SharedRequest[];
  /** Adds a request, or corrects the tokens of a known one. */
  putRequest(key: string, request: SharedRequest): void;
  spent(account: string): SharedSpending | null;
  /** Adds to the spending of an account; amounts may be negative. */
  spend(account: string, amounts: SharedSpending, at: number): void;
  standings(): ReadonlyMap<string, SharedStanding>;
  putStanding(gate: string, standing: SharedStanding, at: number): void;
  close(): void;
}
