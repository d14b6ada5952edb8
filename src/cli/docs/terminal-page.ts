import path from 'node:path';
import { fitLines } from '../print/fit-lines.ts';
import { withoutSequences } from '#protocol/plain-text.ts';
import { textWidth } from '../print/text-width.ts';
import type { Style } from '../print/style.ts';
import { type Block, blocksOf, type Inline, inlinesOf } from './markdown.ts';

/** How a page is shown: the colours, the width in characters, and the folder of the page for its links. */
interface Show {
  readonly paint: Style['paint'];
  readonly room: number;
  readonly folder: string;
}

/**
 * Returns the target of a link to print: the name of another page, an address, or an empty text for a place in the same
 * page.
 */
function targetOf(href: string, folder: string): string {
  if (/^[a-z]+:/.test(href)) return href;
  const [file = ''] = href.split('#');
  return file === '' ? '' : path.posix.join(folder, file).replace(/\.md$/, '');
}

function shownInline(inline: Inline, show: Show): string {
  const { paint, folder } = show;
  switch (inline.kind) {
    case 'text':
      return inline.text;
    case 'code':
      // If there are no colours, code is shown with its backticks.
      return paint.cyan('') === '' ? `\`${inline.text}\`` : paint.cyan(inline.text);
    case 'strong':
      return paint.bold(shown(inline.content, show));
    case 'image':
      return paint.dim(`[picture: ${inline.text}]`);
    case 'link': {
      const target = targetOf(inline.href, folder);
      const label = shown(inline.content, show);
      return target === '' || withoutSequences(label) === target ? label : `${label} ${paint.dim(`(${target})`)}`;
    }
  }
}

const shown = (content: readonly Inline[], show: Show): string =>
  content.map((inline) => shownInline(inline, show)).join('');

const line = (text: string, show: Show): string => shown(inlinesOf(text), show);

const widthOf = (text: string): number => textWidth(withoutSequences(text));

const padded = (text: string, width: number): string => text + ' '.repeat(Math.max(0, width - widthOf(text)));

/** Shows a table in columns if it fits, otherwise each row as a list of its cells. */
function tableLines({ head, rows }: Extract<Block, { kind: 'table' }>, show: Show): readonly string[] {
  const { paint, room } = show;
  const cells = rows.map((row) => row.map((cell) => line(cell, show)));
  const widths = head.map((title, at) =>
    cells.reduce((most, row) => Math.max(most, widthOf(row[at] ?? '')), title.length),
  );
  if (widths.reduce((sum, width) => sum + width + 2, -2) <= room) {
    const inColumns = (row: readonly string[]): string =>
      row
        .map((cell, at) => padded(cell, widths[at] ?? 0))
        .join('  ')
        .trimEnd();
    return [paint.dim(inColumns(head)), ...cells.map(inColumns)];
  }
  return cells.flatMap(([first = '', ...others]) => [
    ...fitLines(paint.bold(first), room, '  '),
    ...others.flatMap((cell, at) => {
      const title = others.length === 1 ? '' : `${paint.dim(`${head[at + 1] ?? ''}:`)} `;
      return cell === '' ? [] : fitLines(`  ${title}${cell}`, room, '  ');
    }),
  ]);
}

function shownBlock(block: Block, show: Show): readonly string[] {
  const { paint, room } = show;
  switch (block.kind) {
    case 'heading':
      return [paint.bold(block.level === 1 ? line(block.text, show).toUpperCase() : line(block.text, show))];
    case 'paragraph':
      return fitLines(line(block.text, show), room);
    case 'list':
      return block.items.flatMap(({ marker, text }) =>
        fitLines(`${marker} ${line(text, show)}`, room, ' '.repeat(marker.length + 1)),
      );
    case 'table':
      return tableLines(block, show);
    case 'code':
      return block.text.split('\n').map((one) => (one === '' ? '' : `    ${paint.green(one)}`));
  }
}

/** Returns a page for a terminal. `page` is its path below the folder of the documents. */
export function terminalPage(text: string, page: string, paint: Style['paint'], room: number): string {
  const show = { paint, room, folder: path.posix.dirname(page) };
  return `${blocksOf(text)
    .map((block) => shownBlock(block, show).join('\n'))
    .join('\n\n')}\n`;
}
