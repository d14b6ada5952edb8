export interface PatchLimits {
  /** The maximum number of lines per file. */
  readonly fileLines: number;
  /** The maximum number of bytes in UTF-8 of the whole patch. */
  readonly bytes: number;
}

interface CutPatch {
  readonly text: string;
  /** The number of lines that were left out. */
  readonly omitted: number;
}

/**
 * Splits a unified diff by files. Only the first line of each file begins with `diff --git`, since lines of content
 * begin with a space, `+` or `-`.
 */
const filesOf = (patch: string): readonly string[] => (patch === '' ? [] : patch.split(/^(?=diff --git )/m));

const note = (omitted: number): string => `\\ ${omitted} more ${omitted === 1 ? 'line' : 'lines'} left out\n`;

/** Returns at most this many of the first lines of a text. */
function head(lines: readonly string[], most: number): readonly string[] {
  return lines.length <= most ? lines : lines.slice(0, most);
}

/** Returns how many of the first lines fit into this many bytes. */
function fitting(lines: readonly string[], bytes: number): number {
  let left = bytes;
  let count = 0;
  for (const line of lines) {
    left -= Buffer.byteLength(line);
    if (left < 0) return count;
    count += 1;
  }
  return count;
}

/**
 * Cuts a unified diff to the limits, at the end of a line, and says where lines are left out. The notes begin with a
 * backslash, as git's own note about a missing line feed does.
 */
export function cutPatch(patch: string, { fileLines, bytes }: PatchLimits): CutPatch {
  const kept: string[] = [];
  let [left, omitted] = [bytes, 0];
  for (const file of filesOf(patch)) {
    const lines = file.split(/(?<=\n)/);
    const short = head(lines, fileLines);
    const text = short.slice(0, fitting(short, left));
    const missing = lines.length - text.length;
    kept.push(...text);
    if (missing > 0) kept.push(note(missing));
    omitted += missing;
    left -= Buffer.byteLength(text.join(''));
  }
  return { text: kept.join(''), omitted };
}
