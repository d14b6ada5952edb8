const TAGS = 'think|thinking|reasoning';

const OPENS = new RegExp(`\\s*<(${TAGS})>`, 'iy');
const CLOSES = new RegExp(`^(.*)</(?:${TAGS})>(.*)$`, 'is');
const FENCE = /^\s*(`{3,}|~{3,})([^`]*)$/;

/** The longest line in characters that is searched. */
const LONGEST = 100_000;

/** Searches a text for a tag from a position on. */
function tagAt(pattern: RegExp, text: string, from: number): { readonly tag: string; readonly end: number } | null {
  pattern.lastIndex = from;
  const [, tag] = pattern.exec(text) ?? [];
  return tag === undefined ? null : { tag, end: pattern.lastIndex };
}

/** Returns whether a text has an odd number of quotation marks or backticks, so that one is still open at its end. */
const isOpen = (text: string): boolean => text.split('"').length % 2 === 0 || text.split('`').length % 2 === 0;

/**
 * Returns the text after the last closing tag of a line; null if it has none, or if the tag may be part of a string or
 * of inline code.
 */
function afterTag(line: string): string | null {
  const [, before, after] = line.length > LONGEST || !line.includes('</') ? [] : (CLOSES.exec(line) ?? []);
  if (before === undefined || after === undefined) return null;
  return after.trim() === '' || !isOpen(before) ? after : null;
}

/**
 * Returns the index of the last line with a closing tag outside of closed fenced blocks, or -1. A block in which another
 * one begins after a closing tag does not count as closed, since thinking may break off in the middle of a block.
 */
function lastTagLine(lines: readonly string[]): number {
  let open: string | null = null;
  let [found, inBlock] = [-1, -1];
  for (const [at, line] of lines.entries()) {
    const [, mark = '', info = ''] = line.length > LONGEST ? [] : (FENCE.exec(line) ?? []);
    if (mark === '') {
      if (afterTag(line) === null) continue;
      if (open === null) found = at;
      else inBlock = at;
    } else if (open === null) open = mark;
    else if (info.trim() !== '' && inBlock >= 0 && mark.startsWith(open)) {
      found = inBlock;
      open = mark;
      inBlock = -1;
    } else if (info.trim() === '' && mark.startsWith(open)) {
      open = null;
      inBlock = -1;
    }
  }
  return Math.max(found, inBlock);
}

/**
 * Removes the thinking of a reasoning model from its answer: everything up to the last closing tag outside of fenced
 * blocks, since some models are prompted after the opening tag. Returns null if the thinking is never closed.
 */
export function afterThinking(text: string): string | null {
  let from = 0;
  for (let begun = tagAt(OPENS, text, from); begun !== null; begun = tagAt(OPENS, text, from)) {
    // The thinking itself may contain half of a fenced block, so its first end counts wherever it is.
    const end = tagAt(new RegExp(`</(${begun.tag})>`, 'gi'), text, begun.end);
    if (end === null) return null;
    from = end.end;
  }
  const said = text.slice(from);
  if (!said.includes('</')) return said;
  const lines = said.split('\n');
  const at = lastTagLine(lines);
  return at < 0 ? said : [afterTag(lines[at] ?? '') ?? '', ...lines.slice(at + 1)].join('\n');
}
