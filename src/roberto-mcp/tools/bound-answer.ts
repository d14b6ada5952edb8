/** Largest answer, as JSON: what a model can take in with room to spare. */
const MAX_BYTES = 200_000;

export interface Bounded<T> {
  readonly rows: readonly T[];
  readonly truncated: boolean;
}

/** Keeps as many rows as fit the number and the size that an answer may have. */
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

/** A sentence for answers that were cut. */
export const cutNote = (shown: number, total: number): string =>
  shown < total ? `\n(${shown} of ${total} shown; raise max_results or narrow the path)` : '';
