/** Maximum size of an answer in characters of JSON, far below the limit of what a model can read. */
const MAX_BYTES = 200_000;

interface Bounded<T> {
  readonly rows: readonly T[];
  readonly truncated: boolean;
}

/** Keeps as many leading rows as fit the maximum count and size of an answer, but at least one. */
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

/** An answer as structured `data` for programs and as compact `text` for people and models. */
export interface ToolAnswer {
  readonly data: Readonly<Record<string, unknown>>;
  readonly text: string;
  /** Files whose content the answer shows. They are compared with the disk again before the answer is sent. */
  readonly paths: readonly string[];
}
