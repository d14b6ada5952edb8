import type { PatchLine } from '../print/patch.ts';
import { charactersOf, textBeginning, textWidth } from '../print/text-width.ts';

const TAB = '    ';

/** Shown instead of a character that is wider than the screen. */
const TOO_WIDE = '…';

const firstOf = (text: string): string => [...charactersOf(text)][0]?.segment ?? text;

function parts(text: string, columns: number): readonly string[] {
  const found: string[] = [];
  for (let rest = text; ;) {
    if (textWidth(rest) <= columns) return [...found, rest];
    const part = textBeginning(rest, columns);
    found.push(part === '' ? TOO_WIDE : part);
    rest = rest.slice(part === '' ? firstOf(rest).length : part.length);
  }
}

/** Wraps the lines of a diff at the edge of the screen, so that the whole text can be read. */
export const wrapped = (lines: readonly PatchLine[], columns: number): readonly PatchLine[] =>
  lines.flatMap(({ kind, text }) =>
    parts(text.replaceAll('\t', TAB), Math.max(1, columns)).map((part) => ({ kind, text: part })),
  );
