/** Offsets at which the lines of a text begin; `\n`, `\r\n` and a lone `\r` end a line, as in the editor. */
export function lineStarts(text: string): readonly number[] {
  const starts = [0];
  const ending = /\r\n?|\n/g;
  while (ending.exec(text) !== null) starts.push(ending.lastIndex);
  return starts;
}

/** Line and column of an offset, both from 1, by binary search. */
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
