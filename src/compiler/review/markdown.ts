import { withoutBidiControls } from '#protocol/bidi-controls.ts';

/** Returns text on one line that Markdown shows as it is. */
export const inline = (text: string): string =>
  withoutBidiControls(text)
    .replaceAll(/\s+/g, ' ')
    .replaceAll(/[\\`*_{}[\]()#+!|<>~&]/g, (sign) => `\\${sign}`);

const longestRun = (text: string): number => Math.max(0, ...Array.from(text.matchAll(/`+/g), ([run]) => run.length));

/** Returns text on one line as code. */
export function code(text: string): string {
  const line = withoutBidiControls(text).replaceAll(/\s+/g, ' ').replaceAll('|', '\\|');
  const fence = '`'.repeat(longestRun(line) + 1);
  const padding = line.startsWith('`') || line.endsWith('`') ? ' ' : '';
  return line.trim() === '' ? '' : `${fence}${padding}${line}${padding}${fence}`;
}

/** Returns lines as a fenced block that none of them can end. */
export function fenced(lines: readonly string[], language: string): string {
  const text = withoutBidiControls(lines.join('\n'));
  const fence = '`'.repeat(Math.max(3, longestRun(text) + 1));
  return `${fence}${language}\n${text}\n${fence}\n`;
}

/** Returns a table whose cells are Markdown already; an empty text if it has no rows. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  if (rows.length === 0) return '';
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |\n`;
  return line(head) + line(head.map(() => '---')) + rows.map(line).join('');
}
