/** A failed query of a context slice. */
export type SliceFailure = {
  /** The tool with its arguments. */
  readonly query: string;
  readonly code: string;
  readonly message: string;
};

/** The result of a context slice, as it appears in layer 4. */
export type ContextSlice = {
  readonly name: string;
  /** Compact text: paths, lines, signatures. */
  readonly text: string;
  /** The number of queries that were answered. */
  readonly queries: number;
  /** The estimated size of `text`. */
  readonly tokens: number;
  /** The additional tokens that the whole files named in the answers would have needed. */
  readonly tokens_saved: number;
  /** The number of characters that were left out because of `max_tokens`. */
  readonly left_out: number;
  readonly failed: readonly SliceFailure[];
};
