import { withoutBidiControls } from '#protocol/plain-text.ts';

/** Returns a text on one line, escaped so that Markdown shows it literally. */
export const inline = (text: string): string =>
  withoutBidiControls(text)
    .replaceAll(/\s+/g, ' ')
    .replaceAll(/[\\`*_{}[\]()#+!|<>~&]/g, (sign) => `\\${sign}`);

const longestRun = (text: string): number => Math.max(0, ...Array.from(text.matchAll(/`+/g), ([run]) => run.length));

/** Returns a text on one line as Markdown code. */
export function code(text: string): string {
  const line = withoutBidiControls(text).replaceAll(/\s+/g, ' ').replaceAll('|', '\\|');
  const fence = '`'.repeat(longestRun(line) + 1);
  const padding = line.startsWith('`') || line.endsWith('`') ? ' ' : '';
  return line.trim() === '' ? '' : `${fence}${padding}${line}${padding}${fence}`;
}

/** Returns lines as a fenced code block, with a fence that is longer than any in the lines. */
export function fenced(lines: readonly string[], language: string): string {
  const text = withoutBidiControls(lines.join('\n'));
  const fence = '`'.repeat(Math.max(3, longestRun(text) + 1));
  return `${fence}${language}\n${text}\n${fence}\n`;
}

/** Returns a Markdown table, or an empty text if there are no rows. The cells must already be Markdown. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  if (rows.length === 0) return '';
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |\n`;
  return line(head) + line(head.map(() => '---')) + rows.map(line).join('');
}
