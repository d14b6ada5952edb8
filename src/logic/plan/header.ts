import { findHiddenLines } from './find-hidden-lines.ts';

const HEADER = /^([A-Za-z][\w .-]*):(?: |$)/;

/** Returns the key of each header line; null for prose and code. */
function keysOf(lines: readonly string[]): readonly (string | null)[] {
  const { kinds } = findHiddenLines(lines);
  return lines.map((line, index) => (kinds[index] === 'open' ? (HEADER.exec(line)?.[1] ?? null) : null));
}

/** Keeps only the last line of each key. */
export function tidyHead(lines: readonly string[]): readonly string[] {
  const keys = keysOf(lines);
  const last = new Map(keys.map((key, index) => [key, index]));
  return lines.filter((_, index) => {
    const key = keys[index] ?? null;
    return key === null || last.get(key) === index;
  });
}

/** Reads the `Key: Value` lines before the first task. */
export function headerOf(lines: readonly string[]): ReadonlyMap<string, string> {
  const keys = keysOf(lines);
  return new Map(
    lines.flatMap((line, index) => {
      const key = keys[index] ?? null;
      return key === null ? [] : [[key, line.slice(key.length + 1).trim()] as const];
    }),
  );
}
