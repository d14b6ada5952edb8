import type { SessionDiff } from '#engine/index.ts';
import type { CliIo, Screen } from '../terminal/cli-io.ts';
import { roomOn } from './fit-lines.ts';
import { harmless, type Style, styleFor } from './style.ts';
import { textBeginning, textWidth } from './text-width.ts';

type Changes = Pick<SessionDiff, 'files' | 'added' | 'deleted'>;
type File = SessionDiff['files'][number];

const LETTER: Readonly<Record<File['change'], string>> = { added: 'A', modified: 'M', deleted: 'D', renamed: 'R' };

const countText = ({ paint, symbols }: Style, added: number, deleted: number): string =>
  `${paint.green(`+${added}`)} ${paint.red(`${symbols.minus}${deleted}`)}`;

/** Returns `+12 −3 in 4 files`, in colour where the screen has colours. */
export function changeSummary({ files, added, deleted }: Changes, style: Style): string {
  const count = files.length === 1 ? '1 file' : `${files.length} files`;
  return files.length === 0 ? 'no changes' : `${countText(style, added, deleted)} in ${count}`;
}

/** Shortens a text to a number of columns. Cuts its beginning, because file names differ at their end. */
function ending(text: string, columns: number): string {
  if (textWidth(text) <= columns) return text;
  const reversed = [...text].toReversed().join('');
  return `…${[...textBeginning(reversed, columns - 1)].toReversed().join('')}`;
}

const nameOf = ({ path, from }: File, arrow: string): string =>
  // Line feeds in a file name are replaced, because the rest of the name would look like another file.
  harmless(from === null ? path : `${from} ${arrow} ${path}`).replaceAll(/[\n\t]/g, '\ufffd');

function fileLine(file: File, width: number, style: Style): string {
  const { added, deleted, change } = file;
  const counts = added === null || deleted === null ? style.paint.dim('binary') : countText(style, added, deleted);
  const name = ending(nameOf(file, style.symbols.arrow), width);
  return `  ${style.paint.dim(LETTER[change])} ${name}${' '.repeat(width - textWidth(name))}  ${counts}`;
}

/** The number of columns that the mark, the counts and the gaps of a line take. */
const AROUND = 20;
const WIDEST = 100;

/** Returns one line for each file, at most `most`, and one that says how many are left out. */
export function changedFileLines({ files }: Changes, most: number, screen: Screen, io: CliIo): readonly string[] {
  const style = styleFor(screen, io);
  const shown = files.slice(0, most);
  const room = Math.max(10, Math.min(WIDEST, roomOn(screen) - AROUND));
  const longest = shown.reduce((most, file) => Math.max(most, textWidth(nameOf(file, style.symbols.arrow))), 0);
  const lines = shown.map((file) => fileLine(file, Math.min(longest, room), style));
  const more = files.length - shown.length;
  return more > 0 ? [...lines, `  ${style.paint.dim(`and ${more} more`)}`] : lines;
}
