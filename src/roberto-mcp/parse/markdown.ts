import type { Definition } from './extraction.ts';

const FENCE = /^ {0,3}(`{3,}|~{3,})/u;
const HEADING = /^ {0,3}(#{1,6})[ \t]+(.*?)[ \t]*#*[ \t]*$/u;
const UNDERLINE = /^ {0,3}(=+|-+)[ \t]*$/u;

interface Heading {
  readonly level: number;
  readonly row: number;
  readonly column: number;
  readonly text: string;
}

function findHeadings(lines: readonly string[]): readonly Heading[] {
  const headings: Heading[] = [];
  let fence: string | null = null;
  for (const [row, line] of lines.entries()) {
    const mark = FENCE.exec(line)?.[1];
    if (mark !== undefined) {
      if (fence === null) fence = mark;
      else if (mark.startsWith(fence)) fence = null;
      continue;
    }
    if (fence !== null) continue;
    const atx = HEADING.exec(line);
    if (atx?.[1] !== undefined && atx[2] !== undefined) {
      if (atx[2] !== '') headings.push({ level: atx[1].length, row, column: line.indexOf(atx[2]), text: atx[2] });
      continue;
    }
    const under = UNDERLINE.exec(line)?.[1];
    const above = lines[row - 1] ?? '';
    if (under !== undefined && /^[^\s>#\-*+|]/u.test(above) && headings.at(-1)?.row !== row - 1)
      headings.push({ level: under.startsWith('=') ? 1 : 2, row: row - 1, column: 0, text: above.trim() });
  }
  return headings;
}

/**
 * Returns the headings of a Markdown text as definitions. Each extends to the next heading of the same or a higher
 * level.
 */
export function markdownHeadings(text: string): readonly Definition[] {
  const lines = text.split('\n');
  const headings = findHeadings(lines.map((line) => line.replace(/\r$/u, '')));
  const open: number[] = [];
  const ends = headings.map(() => lines.length - 1);
  const parents = headings.map(({ level, row }, index) => {
    for (let top = open.at(-1); top !== undefined && (headings[top]?.level ?? 0) >= level; top = open.at(-1)) {
      ends[top] = Math.max(headings[top]?.row ?? 0, row - 1);
      open.pop();
    }
    const parent = open.at(-1) ?? -1;
    open.push(index);
    return parent;
  });
  return headings.map(({ row, column, text: name, level }, index) => ({
    kind: 'heading',
    name,
    startRow: row,
    endRow: ends[index] ?? row,
    row,
    column,
    parent: parents[index] ?? -1,
    exported: false,
    approximate: false,
    signature: `${'#'.repeat(level)} ${name}`,
    doc: '',
  }));
}
