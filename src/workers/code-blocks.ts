import { fenceLines } from './answer/fence-line.ts';

/** Fenced blocks of an answer, in order, each up to the first fence that can close it; an unclosed one is left out. */
export function fences(text: string): readonly { readonly lines: readonly string[] }[] {
  const lines = text.split('\n').map((line) => (line.endsWith('\r') ? line.slice(0, -1) : line));
  const found: { readonly lines: readonly string[] }[] = [];
  let open: ReturnType<typeof fenceLines>[number] | null = null;
  for (const fence of fenceLines(lines)) {
    if (open === null) open = fence;
    else if (fence.info === '' && fence.char === open.char && fence.length >= open.length) {
      found.push({ lines: lines.slice(open.at + 1, fence.at) });
      open = null;
    }
  }
  return found;
}
