import type { Integer } from '#protocol/count.ts';
/** A row of two texts side by side; null where one text has no line. */
export interface SideBySide {
  readonly left: string | null;
  readonly right: string | null;
  readonly same: boolean;
}

/**
 * Maximum size of the comparison table (left lines times right lines). If it is exceeded, the differing middle is shown
 * as one change, to limit memory.
 */
const LARGEST = 4_000_000;

const same = (line: string): SideBySide => ({ left: line, right: line, same: true });

/**
 * Returns a table with the length of the longest common subsequence of the remaining lines, for each pair of positions.
 */
function lengths(left: readonly string[], right: readonly string[]): readonly Uint32Array[] {
  const table = Array.from({ length: left.length + 1 }, () => new Uint32Array(right.length + 1));
  const at = (i: number, j: number): number => table[i]?.[j] ?? 0;
  for (let i = left.length - 1; i >= 0; i -= 1)
    for (let j = right.length - 1; j >= 0; j -= 1) {
      const row = table[i];
      if (row !== undefined)
        row[j] = left[i] === right[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1));
    }
  return table;
}

/** Puts removed and added lines side by side. */
function change(gone: readonly string[], come: readonly string[]): readonly SideBySide[] {
  return Array.from({ length: Math.max(gone.length, come.length) }, (_, index) => ({
    left: gone[index] ?? null,
    right: come[index] ?? null,
    same: false,
  }));
}

function middle(left: readonly string[], right: readonly string[]): readonly SideBySide[] {
  if (left.length * right.length > LARGEST) return change(left, right);
  const table = lengths(left, right);
  const rows: SideBySide[] = [];
  let [gone, come]: [string[], string[]] = [[], []];
  let [i, j] = [0, 0];
  while (i < left.length || j < right.length) {
    const [one, other] = [left[i], right[j]];
    if (one !== undefined && one === other) {
      for (const row of change(gone, come)) rows.push(row);
      rows.push(same(one));
      [gone, come] = [[], []];
      i += 1;
      j += 1;
    } else if (other === undefined || (one !== undefined && (table[i + 1]?.[j] ?? 0) >= (table[i]?.[j + 1] ?? 0))) {
      gone.push(one ?? '');
      i += 1;
    } else {
      come.push(other);
      j += 1;
    }
  }
  return [...rows, ...change(gone, come)];
}

function compareLists(one: readonly string[], other: readonly string[]): readonly SideBySide[] {
  const least = Math.min(one.length, other.length);
  let head = 0;
  while (head < least && one[head] === other[head]) head += 1;
  let tail = 0;
  while (tail < least - head && one[one.length - 1 - tail] === other[other.length - 1 - tail]) tail += 1;
  return [
    ...one.slice(0, head).map(same),
    ...middle(one.slice(head, one.length - tail), other.slice(head, other.length - tail)),
    ...one.slice(one.length - tail).map(same),
  ];
}

/** Compares two texts line by line. */
export const compareTexts = (left: string, right: string): readonly SideBySide[] =>
  compareLists(left.split('\n'), right.split('\n'));

/** Compares two lines word by word, including the white space between words. */
export const compareWords = (left: string, right: string): readonly SideBySide[] =>
  compareLists(left.match(/\s+|\S+/g) ?? [], right.match(/\s+|\S+/g) ?? []);

export interface WordCount {
  readonly same: Integer;
  readonly left_only: Integer;
  readonly right_only: Integer;
}

/** Counts the words that both texts share and the words that only one of them has. */
export function countWords(rows: readonly SideBySide[]): WordCount {
  const count = { same: 0, left_only: 0, right_only: 0 };
  const isWord = (piece: string | null): boolean => piece !== null && piece.trim() !== '';
  for (const row of rows)
    for (const piece of row.same
      ? compareWords(row.left ?? '', row.left ?? '')
      : compareWords(row.left ?? '', row.right ?? '')) {
      if (piece.same && isWord(piece.left)) count.same += 1;
      if (!piece.same && isWord(piece.left)) count.left_only += 1;
      if (!piece.same && isWord(piece.right)) count.right_only += 1;
    }
  return count;
}
