/** A query of a slice that failed. */
export type SliceFailure = {
  /** The tool with its arguments. */
  readonly query: string;
  readonly code: string;
  readonly message: string;
};

/** The result of a context slice, as it stands in layer 4. */
export type ContextSlice = {
  readonly name: string;
  /** Compact text: paths, lines, signatures. */
  readonly text: string;
  /** The number of queries that were answered. */
  readonly queries: number;
  /** The estimated size of `text`. */
  readonly tokens: number;
  /** What the whole files that the answers name would have cost in addition. */
  readonly tokens_saved: number;
  /** Characters that exceeded `max_tokens`. */
  readonly left_out: number;
  readonly failed: readonly SliceFailure[];
};
