import { fenceLines } from './fence-line.ts';

interface Block {
  readonly lines: readonly string[];
  /** The number of lines before the block's first line. */
  readonly linesAbove: number;
  readonly isClosed: boolean;
}

/**
 * Returns the fenced blocks of a text in order. Each ends at the first fence that can close it, and only the last one
 * may be unclosed.
 */
export function blocksIn(text: string): readonly Block[] {
  const lines = text.split('\n').map((line) => (line.endsWith('\r') ? line.slice(0, -1) : line));
  const found: Block[] = [];
  let open: ReturnType<typeof fenceLines>[number] | null = null;
  for (const fence of fenceLines(lines)) {
    if (open === null) open = fence;
    else if (fence.info === '' && fence.char === open.char && fence.length >= open.length) {
      found.push({ lines: lines.slice(open.at + 1, fence.at), linesAbove: open.at + 1, isClosed: true });
      open = null;
    }
  }
  return open === null
    ? found
    : [...found, { lines: lines.slice(open.at + 1), linesAbove: open.at + 1, isClosed: false }];
}

/** Returns only the closed fenced blocks of a text. */
export const fences = (text: string): readonly Block[] => blocksIn(text).filter(({ isClosed }) => isClosed);
