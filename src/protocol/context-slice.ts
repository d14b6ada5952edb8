import type { Count } from './count.ts';
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
  readonly queries: Count;
  /** The estimated size of `text`. */
  readonly tokens: Count;
  /** The additional tokens that the whole files named in the answers would have needed. */
  readonly tokens_saved: Count;
  /** The number of characters that were left out because of `max_tokens`. */
  readonly left_out: Count;
  readonly failed: readonly SliceFailure[];
};

/** Returns what a context slice lacks, for people; null if all its queries were answered. */
export function sliceFailureText({
  name,
  queries,
  failed,
}: Pick<ContextSlice, 'name' | 'queries' | 'failed'>): string | null {
  const [first] = failed;
  if (first === undefined) return null;
  const count = failed.length + queries;
  const which = count === 1 ? 'its query was' : `${failed.length} of ${count} queries were`;
  return `the context slice ${name} is incomplete: ${which} not answered. ${first.query}: ${first.message}`;
}
