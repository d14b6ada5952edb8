import type { FenceLine } from './fence-line.ts';

/** Where a fenced block ends, or why that can't be said. */
export type FenceEnd = { readonly close: FenceLine } | { readonly open: 'never_closed' | 'ambiguous' };

export interface FenceTests {
  /** Does its info string name a file? */
  readonly opensFile: (fence: FenceLine) => boolean;
  /** Does it hold Markdown, where fenced blocks are at home? */
  readonly isMarkdown: (fence: FenceLine) => boolean;
  /** Does somebody talk between these two, where code should be? */
  readonly isTalk: (from: FenceLine, to: FenceLine) => boolean;
}

/** The fence lines that can mean something to an outer fence, and what is to come after each of them. */
interface Kin {
  readonly lines: readonly FenceLine[];
  readonly places: ReadonlyMap<FenceLine, number>;
  /** Bare fences from here on that close nothing inside: up to the next block that names a file, and up to the end. */
  readonly looseBeforeFile: readonly number[];
  readonly looseInAll: readonly number[];
}

/** Longer fences count as of this length, so that there are few kinds of them. */
const LONGEST = 12;
/** So much further in than its outer block, a bare fence of Markdown is part of a list, and never its end. */
const LIST_INDENT = 2;
/** More to the right than this, it is no closing fence. */
const CLOSER_INDENT = 3;
/** More bare fences in one block are not told apart. */
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

/** The first ones of them, in order: no more than `count`. */
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

/** The first bare fence that closes no fence inside; a block of another file is never inside of code. */
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
  // Of an odd number the last one closes and the others are pairs, unless there is talk where code should be.
  for (let pair = 0; pair + 2 < loose.length; pair += 2) {
    const [open, close] = [loose[pair], loose[pair + 1]];
    if (open === undefined || close === undefined || tests.isTalk(open, close)) return { open: 'ambiguous' };
  }
  const last = loose.at(-1);
  return last === undefined ? { open: 'never_closed' } : { close: last };
}

/**
 * Finds where fenced blocks end, as models write them: a fence of the same length inside a block opens another one if it has
 * an info string. Bare fences in Markdown are told apart by their number; where that can't be, nothing is guessed.
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
