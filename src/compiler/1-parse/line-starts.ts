/** Returns the offsets at which the lines of a text begin. Like in editors, `\n`, `\r\n` and a lone `\r` end a line. */
export function lineStarts(text: string): readonly number[] {
  const starts = [0];
  const ending = /\r\n?|\n/g;
  while (ending.exec(text) !== null) starts.push(ending.lastIndex);
  return starts;
}

/** Returns the line and column of an offset, both counted from 1. */
export function positionAt(
  starts: readonly number[],
  offset: number,
): { readonly line: number; readonly column: number } {
  let low = 0;
  let high = starts.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((starts[middle] ?? 0) <= offset) low = middle;
    else high = middle - 1;
  }
  return { line: low + 1, column: offset - (starts[low] ?? 0) + 1 };
}
