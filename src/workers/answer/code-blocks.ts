import { fenceLines } from './fence-line.ts';

interface Block {
  readonly lines: readonly string[];
  /** Of the text, before the block. */
  readonly linesAbove: number;
  readonly isClosed: boolean;
}

/** Fenced blocks of a text, in order, each up to the first fence that can close it; only the last one may be unclosed. */
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

/** Those that are closed. */
export const fences = (text: string): readonly Block[] => blocksIn(text).filter(({ isClosed }) => isClosed);
