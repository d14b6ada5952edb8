import type { PatchLine } from '../print/patch.ts';
import { textBeginning, textWidth } from '../print/text-width.ts';

const TAB = '    ';

function parts(text: string, columns: number): readonly string[] {
  const found: string[] = [];
  for (let rest = text; ;) {
    if (textWidth(rest) <= columns) return [...found, rest];
    // A character that is wider than the screen is cut by the terminal.
    const part = textBeginning(rest, columns) || ([...rest][0] ?? '');
    found.push(part);
    rest = rest.slice(part.length);
  }
}

/** Wraps the lines of a diff at the edge of the screen, so that the whole text can be read. */
export const wrapped = (lines: readonly PatchLine[], columns: number): readonly PatchLine[] =>
  lines.flatMap(({ kind, text }) =>
    parts(text.replaceAll('\t', TAB), Math.max(2, columns)).map((part) => ({ kind, text: part })),
  );
