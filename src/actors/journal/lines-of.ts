const NEWLINE = 0x0a;

/** The lines that a newline closes, each without it. */
export function linesOf(bytes: Buffer): readonly Buffer[] {
  const lines: Buffer[] = [];
  let from = 0;
  for (let until = bytes.indexOf(NEWLINE); until !== -1; until = bytes.indexOf(NEWLINE, from)) {
    lines.push(bytes.subarray(from, until));
    from = until + 1;
  }
  return lines;
}
