import type { FenceLine } from './fence-line.ts';

/** The closing line of a fenced block, or why it can't be determined. */
export type FenceEnd = { readonly close: FenceLine } | { readonly open: 'never_closed' | 'ambiguous' };

interface FenceTests {
  /** Returns true if the fence begins a file. */
  readonly opensFile: (fence: FenceLine) => boolean;
  /** Returns true if the block holds Markdown, which may contain fenced blocks of its own. */
  readonly isMarkdown: (fence: FenceLine) => boolean;
}

/**
 * Maximum fence length that is distinguished. Longer fences are treated as if they had this length, which limits the
 * number of variants to compute.
 */
const LONGEST = 12;
/** Maximum number of columns by which a closing fence may be indented more than its opening fence. */
const CLOSER_INDENT = 3;

/** The fence lines that may close or nest in fences of one character and length. */
interface Kin {
  readonly lines: readonly FenceLine[];
  readonly places: ReadonlyMap<FenceLine, number>;
  /** Holds for each line whether a bare fence that closes no block follows before the next file. */
  readonly isLooseAfter: readonly boolean[];
}

function kinOf(all: readonly FenceLine[], char: string, length: number, tests: FenceTests): Kin {
  const lines = all.filter((line) => line.char === char && line.length >= length);
  const isLooseAfter = new Array<boolean>(lines.length).fill(false);
  let loose = 0;
  for (let index = lines.length - 1; index >= 0; index -= 1) {
    const line = lines[index];
    if (line === undefined) continue;
    isLooseAfter[index] = loose > 0;
    if (line.info === '') loose += 1;
    else loose = tests.opensFile(line) ? 0 : Math.max(0, loose - 1);
  }
  return { lines, places: new Map(lines.map((line, index) => [line, index])), isLooseAfter };
}

/**
 * Finds the first bare fence that closes no inner block. Inside a block, a fence with an info string opens an inner
 * one. A fence that begins another file ends the search, unless the block is Markdown.
 */
function endOf(fence: FenceLine, { lines, places, isLooseAfter }: Kin, tests: FenceTests): FenceEnd {
  const isMarkdown = tests.isMarkdown(fence);
  let depth = 0;
  for (let index = (places.get(fence) ?? lines.length) + 1; index < lines.length; index += 1) {
    const line = lines[index];
    if (line === undefined) break;
    if (line.indent > fence.indent + CLOSER_INDENT) continue;
    if (line.info !== '') {
      if (depth === 0 && !isMarkdown && tests.opensFile(line)) break;
      depth += 1;
    } else if (depth > 0) depth -= 1;
    else return isMarkdown && isLooseAfter[index] === true ? { open: 'ambiguous' } : { close: line };
  }
  return { open: 'never_closed' };
}

/** Returns a function that finds the end of each fenced block of a text. */
export function fenceEnds(all: readonly FenceLine[], tests: FenceTests): (fence: FenceLine) => FenceEnd {
  const known = new Map<string, Kin>();
  return (fence) => {
    const length = Math.min(fence.length, LONGEST);
    const key = `${fence.char}${length}`;
    const kin = known.get(key) ?? kinOf(all, fence.char, length, tests);
    known.set(key, kin);
    return endOf(fence, kin, tests);
  };
}
