import type { FenceLine } from './fence-line.ts';

/** The closing line of a fenced block, or why it can't be determined. */
export type FenceEnd = { readonly close: FenceLine } | { readonly open: 'never_closed' | 'ambiguous' };

interface FenceTests {
  /** Returns true if the info string names a file. */
  readonly opensFile: (fence: FenceLine) => boolean;
  /** Returns true if the block holds Markdown, which may contain fenced blocks of its own. */
  readonly isMarkdown: (fence: FenceLine) => boolean;
  /** Returns true if there is prose between two fences, where code would be expected. */
  readonly isTalk: (from: FenceLine, to: FenceLine) => boolean;
}

/**
 * The fence lines that may close or nest in fences of one character and length, with counts of what follows each line.
 */
interface Kin {
  readonly lines: readonly FenceLine[];
  readonly places: ReadonlyMap<FenceLine, number>;
  /**
   * The number of bare fences that close no inner block, counted from each line on. This field counts up to the next
   * block that names a file; the next field counts up to the end.
   */
  readonly looseBeforeFile: readonly number[];
  readonly looseInAll: readonly number[];
}

/**
 * Maximum fence length that is distinguished. Longer fences are treated as if they had this length, which limits the
 * number of variants to compute.
 */
const LONGEST = 12;
/**
 * Indentation, in columns, from which a bare fence in Markdown belongs to a list item and never closes an outer block.
 */
const LIST_INDENT = 2;
/** Maximum number of columns by which a closing fence may be indented more than its opening fence. */
const CLOSER_INDENT = 3;
/** Maximum number of bare fences in one block that are paired; with more, the block is ambiguous. */
const MOST_LOOSE = 15;

function looseFrom(lines: readonly FenceLine[], isEnd: (line: FenceLine) => boolean): readonly number[] {
  const counts = new Array<number>(lines.length + 1).fill(0);
  for (let index = lines.length - 1; index >= 0; index -= 1) {
    const [line, after = 0] = [lines[index], counts[index + 1]];
    if (line === undefined || isEnd(line)) continue;
    counts[index] = line.info === '' ? after + 1 : Math.max(0, after - 1);
  }
  return counts;
}

function kinOf(all: readonly FenceLine[], char: string, length: number, atEdge: boolean, tests: FenceTests): Kin {
  const lines = all.filter(
    (line) =>
      line.char === char && line.length >= length && !(atEdge && line.info === '' && line.indent >= LIST_INDENT),
  );
  return {
    lines,
    places: new Map(lines.map((line, index) => [line, index])),
    looseBeforeFile: looseFrom(lines, (line) => line.info !== '' && tests.opensFile(line)),
    looseInAll: looseFrom(lines, () => false),
  };
}

/** Returns the first `count` bare fences that close no inner block. */
function looseAfter(lines: readonly FenceLine[], from: number, count: number): readonly FenceLine[] {
  const found: FenceLine[] = [];
  let depth = 0;
  for (let index = from; index < lines.length && found.length < count; index += 1) {
    const line = lines[index];
    if (line === undefined) break;
    if (line.info !== '') depth += 1;
    else if (depth > 0) depth -= 1;
    else found.push(line);
  }
  return found;
}

/**
 * Finds the end of a code block: the first bare fence that closes no inner block. A fence that names another file ends
 * the search, since code contains no fenced files.
 */
function endOfCode(fence: FenceLine, lines: readonly FenceLine[], from: number, tests: FenceTests): FenceEnd {
  let depth = 0;
  for (let index = from; index < lines.length; index += 1) {
    const line = lines[index];
    if (line === undefined) break;
    if (line.info !== '') {
      if (depth === 0 && tests.opensFile(line)) break;
      depth += 1;
    } else if (depth > 0) depth -= 1;
    else if (line.indent <= fence.indent + CLOSER_INDENT) return { close: line };
  }
  return { open: 'never_closed' };
}

function endOfMarkdown({ lines, looseBeforeFile, looseInAll }: Kin, from: number, tests: FenceTests): FenceEnd {
  const near = looseBeforeFile[from] ?? 0;
  const count = near > 0 ? near : (looseInAll[from] ?? 0);
  if (count === 0) return { open: 'never_closed' };
  if (count % 2 === 0 || count > MOST_LOOSE) return { open: 'ambiguous' };
  const loose = looseAfter(lines, from, count);
  // If the number of bare fences is odd, the last one closes the block and the others form pairs. Prose within a pair
  // shows that this pairing is wrong.
  for (let pair = 0; pair + 2 < loose.length; pair += 2) {
    const [open, close] = [loose[pair], loose[pair + 1]];
    if (open === undefined || close === undefined || tests.isTalk(open, close)) return { open: 'ambiguous' };
  }
  const last = loose.at(-1);
  return last === undefined ? { open: 'never_closed' } : { close: last };
}

/**
 * Returns a function that finds the end of a fenced block. Inside a block, a fence with an info string opens a nested
 * block. Bare fences in Markdown are paired by counting them; if the pairing is unclear, the result is `ambiguous`.
 */
export function fencePairer(all: readonly FenceLine[], tests: FenceTests): (fence: FenceLine) => FenceEnd {
  const known = new Map<string, Kin>();
  return (fence) => {
    const length = Math.min(fence.length, LONGEST);
    const isMarkdown = tests.isMarkdown(fence);
    const atEdge = isMarkdown && fence.indent < LIST_INDENT;
    const key = `${fence.char}${length}${String(atEdge)}`;
    const kin = known.get(key) ?? kinOf(all, fence.char, length, atEdge, tests);
    known.set(key, kin);
    const from = (kin.places.get(fence) ?? kin.lines.length) + 1;
    return isMarkdown ? endOfMarkdown(kin, from, tests) : endOfCode(fence, kin.lines, from, tests);
  };
}
