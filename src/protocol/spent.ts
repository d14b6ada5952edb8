/** The model usage of one or more executions. */
export interface Spent {
  readonly tokens: number;
  /** Millionths of a US dollar, as far as they are known; null if nothing is known. */
  readonly microUsd: number | null;
  /** True if more was used: an engine was killed during a call, or a part of the usage has no known price. */
  readonly atLeast?: true;
}
