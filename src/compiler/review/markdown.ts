import { withoutBidiControls } from '#protocol/bidi-controls.ts';

/** Escapes text for Markdown and joins it into one line. */
export const inline = (text: string): string =>
  withoutBidiControls(text)
    .replaceAll(/\s+/g, ' ')
    .replaceAll(/[\\`*_{}[\]()#+!|<>~&]/g, (sign) => `\\${sign}`);

const longestRun = (text: string): number => Math.max(0, ...Array.from(text.matchAll(/`+/g), ([run]) => run.length));

/** Formats text as inline code on one line. */
export function code(text: string): string {
  const line = withoutBidiControls(text).replaceAll(/\s+/g, ' ').replaceAll('|', '\\|');
  const fence = '`'.repeat(longestRun(line) + 1);
  const padding = line.startsWith('`') || line.endsWith('`') ? ' ' : '';
  return line.trim() === '' ? '' : `${fence}${padding}${line}${padding}${fence}`;
}

/**
 * Formats lines as a fenced code block. The fence is longer than any run of backticks in them, so that no line can
 * close it.
 */
export function fenced(lines: readonly string[], language: string): string {
  const text = withoutBidiControls(lines.join('\n'));
  const fence = '`'.repeat(Math.max(3, longestRun(text) + 1));
  return `${fence}${language}\n${text}\n${fence}\n`;
}

/** Formats a Markdown table from cells that are already Markdown. Returns an empty string if there are no rows. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  if (rows.length === 0) return '';
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |\n`;
  return line(head) + line(head.map(() => '---')) + rows.map(line).join('');
}
