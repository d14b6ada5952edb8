import type { CliIo, Screen } from '../terminal/cli-io.ts';
import { harmless, type Style, styleFor } from './style.ts';

/**
 * The maximum length of a displayed line. Longer lines are cut on a terminal, because generated files contain lines of
 * megabytes.
 */
const MOST_CHARACTERS = 2_000;

type PatchLineKind = 'header' | 'added' | 'deleted' | 'hunk' | 'note' | 'context';

/** A line of a unified diff without terminal control characters. */
export interface PatchLine {
  readonly kind: PatchLineKind;
  readonly text: string;
}

const KINDS: Readonly<Record<string, PatchLineKind>> = { '+': 'added', '-': 'deleted', '@': 'hunk', '\\': 'note' };

/** Paints a line, or a part of one, in the colour of its kind. */
export function paintPatchLine(text: string, kind: PatchLineKind, { paint }: Style): string {
  switch (kind) {
    case 'header':
      return paint.bold(text);
    case 'added':
      return paint.green(text);
    case 'deleted':
      return paint.red(text);
    case 'hunk':
      return paint.cyan(text);
    case 'note':
      return paint.dim(text);
    case 'context':
      return text;
  }
}

/** Returns a line without terminal control characters. Shows a carriage return at the end as `^M`, like git. */
function shownLine(line: string): string {
  const text = line.endsWith('\r') ? `${line.slice(0, -1)}^M` : line;
  return harmless(text.length > MOST_CHARACTERS ? `${text.slice(0, MOST_CHARACTERS)}…` : text);
}

/** Splits a unified diff into lines that a terminal can display. */
export function patchLines(patch: string): readonly PatchLine[] {
  let isHeader = false;
  const lines = patch.split('\n');
  if (lines.at(-1) === '') lines.pop();
  return lines.map((line) => {
    if (line.startsWith('diff --git ')) isHeader = true;
    else if (line.startsWith('@@')) isHeader = false;
    const kind = isHeader && !line.startsWith('\\') ? 'header' : (KINDS[line.charAt(0)] ?? 'context');
    return { kind, text: shownLine(line) };
  });
}

/**
 * Prints a unified diff: in colour on a terminal, where no control character gets through; elsewhere as it is, so that
 * `git apply` can read it.
 */
export function printPatch(patch: string, screen: Screen, io: CliIo): void {
  if (!screen.isTerminal && (io.env['FORCE_COLOR'] ?? '0') === '0') return screen.write(patch);
  const style = styleFor(screen, io);
  screen.write(
    patchLines(patch)
      .map(({ kind, text }) => `${paintPatchLine(text, kind, style)}\n`)
      .join(''),
  );
}
