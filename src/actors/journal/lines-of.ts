const NEWLINE = 0x0a;

/** Splits bytes into the lines that a newline ends, without the newlines. */
export function linesOf(bytes: Buffer): readonly Buffer[] {
  const lines: Buffer[] = [];
  let from = 0;
  for (let until = bytes.indexOf(NEWLINE); until !== -1; until = bytes.indexOf(NEWLINE, from)) {
    lines.push(bytes.subarray(from, until));
    from = until + 1;
  }
  return lines;
}
