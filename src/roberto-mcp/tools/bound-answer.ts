/** Maximum size of an answer in characters of JSON, well below what a model can read. */
const MAX_BYTES = 200_000;

export interface Bounded<T> {
  readonly rows: readonly T[];
  readonly truncated: boolean;
}

/** Keeps the leading rows that fit the maximum count and size of an answer; at least one row is kept. */
export function boundRows<T>(rows: readonly T[], maxResults: number, maxBytes: number = MAX_BYTES): Bounded<T> {
  const kept: T[] = [];
  let bytes = 0;
  for (const row of rows) {
    bytes += JSON.stringify(row).length;
    if (kept.length >= maxResults || (bytes > maxBytes && kept.length > 0)) break;
    kept.push(row);
  }
  return { rows: kept, truncated: kept.length < rows.length };
}

/** Returns a note about omitted rows for a truncated answer, or an empty string. */
export const cutNote = (shown: number, total: number): string =>
  shown < total ? `\n(${shown} of ${total} shown; raise max_results or narrow the path)` : '';
