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
  /** The number of requests whose price is unknown. */
  readonly unpriced: number;
}

/** The state of a key, account, endpoint or model, shared by all processes. */
export interface SharedStanding {
  /** The number of failures so far. Of two states, the one with the higher number is newer. */
  readonly epoch: number;
  /** The state as JSON, without secrets. */
  readonly body: string;
}

/**
 * The data about keys that all processes of one user share: requests of the last minute, spending and states. Keys are
 * identified by fingerprints. Methods never throw: data that can't be read counts as empty, and data that can't be
 * written is lost.
 */
export interface SharedLimits {
  /** Returns a number that changes whenever another process writes shared data; null if nothing is shared. */
  version(): number | null;
  /** Runs `work` under a lock that keeps all other processes from writing. */
  exclusively<Value>(work: () => Value): Value;
  requests(key: string, since: number): readonly SharedRequest[];
  /** Adds a request, or corrects the token count of a request that was added before. */
  putRequest(key: string, request: SharedRequest): void;
  spent(account: string): SharedSpending | null;
  /** Adds to the spending of an account; amounts may be negative. */
  spend(account: string, amounts: SharedSpending, at: number): void;
  standings(): ReadonlyMap<string, SharedStanding>;
  putStanding(gate: string, standing: SharedStanding, at: number): void;
  close(): void;
}
