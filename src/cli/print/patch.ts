import type { CliIo, Screen } from '../terminal/cli-io.ts';
import { harmless, type Style, styleFor } from './style.ts';

/** Longer lines are cut on a terminal: generated files have lines of megabytes. */
const MOST_CHARACTERS = 2_000;

function painted(line: string, isHeader: boolean, { paint }: Style): string {
  if (isHeader) return paint.bold(line);
  switch (line.charAt(0)) {
    case '+':
      return paint.green(line);
    case '-':
      return paint.red(line);
    case '@':
      return paint.cyan(line);
    case '\\':
      return paint.dim(line);
    default:
      return line;
  }
}

/** Returns a line without terminal control characters. Shows a carriage return at the end as `^M`, like git. */
function shownLine(line: string): string {
  const text = line.endsWith('\r') ? `${line.slice(0, -1)}^M` : line;
  return harmless(text.length > MOST_CHARACTERS ? `${text.slice(0, MOST_CHARACTERS)}…` : text);
}

/**
 * Prints a unified diff: in colour on a terminal, where no control character gets through; elsewhere as it is, so that
 * `git apply` can read it.
 */
export function printPatch(patch: string, screen: Screen, io: CliIo): void {
  if (!screen.isTerminal && (io.env['FORCE_COLOR'] ?? '0') === '0') return screen.write(patch);
  const style = styleFor(screen, io);
  let isHeader = false;
  const lines = patch.split('\n');
  if (lines.at(-1) === '') lines.pop();
  const shown = lines.map((line) => {
    if (line.startsWith('diff --git ')) isHeader = true;
    else if (line.startsWith('@@')) isHeader = false;
    return `${painted(shownLine(line), isHeader && !line.startsWith('\\'), style)}\n`;
  });
  screen.write(shown.join(''));
}
