const HEADER = /^([A-Za-z][\w .-]*):(?: |$)/;

/** The key of a header line; null: it is prose. */
const keyOf = (line: string): string | null => HEADER.exec(line)?.[1] ?? null;

/** Of each key the last line only. */
export function tidyHead(lines: readonly string[]): readonly string[] {
  const last = new Map(lines.map((line, index) => [keyOf(line), index]));
  return lines.filter((line, index) => {
    const key = keyOf(line);
    return key === null || last.get(key) === index;
  });
}

/** `Key: Value` before the first task. */
export const headerOf = (lines: readonly string[]): ReadonlyMap<string, string> =>
  new Map(
    lines.flatMap((line) => {
      const key = keyOf(line);
      return key === null ? [] : [[key, line.slice(key.length + 1).trim()] as const];
    }),
  );
