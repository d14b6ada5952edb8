import { textBeginning, textWidth } from './text-width.ts';

/** A cell: its text, and how to colour the padded text. */
export interface Cell {
  readonly text: string;
  readonly paint?: (text: string) => string;
}

export interface Column {
  readonly heading: string;
  readonly right?: true;
  /** The minimum width that the column may be cut to on a narrow screen; without it, the column is cut last. */
  readonly least?: number;
  /** Columns with this number are dropped if empty or if space is short, smallest number first. */
  readonly drop?: number;
}

const GAP = '  ';

/** Returns column widths that fit the screen: first the widest columns that may be cut shrink, then all others. */
function fit(columns: readonly Column[], wanted: readonly number[], room: number): readonly number[] {
  const widths = [...wanted];
  const total = (): number => widths.reduce((sum, width) => sum + width, GAP.length * (widths.length - 1));
  while (total() > room) {
    let widest = -1;
    for (const [index, { least }] of columns.entries()) {
      const width = widths[index] ?? 0;
      if (least !== undefined && width > least && width > (widths[widest] ?? -1)) widest = index;
    }
    const cut = widest === -1 ? widths.indexOf(Math.max(...widths)) : widest;
    if ((widths[cut] ?? 0) <= 1) break;
    widths[cut] = (widths[cut] ?? 0) - 1;
  }
  return widths;
}

/** Returns the indexes of the visible columns. */
function choose(columns: readonly Column[], wanted: readonly number[], isEmpty: readonly boolean[], room: number) {
  const shown = columns.flatMap(({ drop }, index) => (drop !== undefined && isEmpty[index] === true ? [] : [index]));
  const leastOf = (index: number): number => Math.min(wanted[index] ?? 0, columns[index]?.least ?? Infinity);
  const total = (): number => shown.reduce((sum, index) => sum + leastOf(index) + GAP.length, -GAP.length);
  while (total() > room) {
    const dropOf = (index: number): number => columns[index]?.drop ?? Infinity;
    const first = shown.reduce((least, index) => (dropOf(index) < dropOf(least) ? index : least), shown[0] ?? 0);
    if (dropOf(first) === Infinity) break;
    shown.splice(shown.indexOf(first), 1);
  }
  return shown;
}

/** Shortens a text with an ellipsis. */
const cut = (text: string, width: number): string =>
  textWidth(text) <= width ? text : `${textBeginning(text, width - 1)}…`;

const widthIn = (row: readonly Cell[], index: number): number => textWidth(row[index]?.text ?? '');

/** Returns the lines of a table with headings. `room`: the screen's width, infinite if it is not a terminal. */
export function tableLines(
  all: readonly Column[],
  cells: readonly (readonly Cell[])[],
  room: number,
  dim: (text: string) => string,
): readonly string[] {
  const full = all.map(({ heading }, index) =>
    cells.reduce((most, row) => Math.max(most, widthIn(row, index)), heading.length),
  );
  const isEmpty = all.map((_, index) => cells.every((row) => (row[index]?.text ?? '') === ''));
  const shown = choose(all, full, isEmpty, room);
  const columns = shown.flatMap((index) => all[index] ?? []);
  const rows = cells.map((row) => shown.map((index) => row[index] ?? { text: '' }));
  const wanted = columns.map(({ heading }, index) =>
    rows.reduce((most, row) => Math.max(most, widthIn(row, index)), heading.length),
  );
  const widths = fit(columns, wanted, room);
  const line = (cells: readonly Cell[]): string =>
    columns
      .map(({ right }, index) => {
        const { text, paint = (same: string): string => same } = cells[index] ?? { text: '' };
        const width = widths[index] ?? 0;
        const shown = cut(text, width);
        const isLast = index === columns.length - 1;
        const blank = ' '.repeat(Math.max(0, width - textWidth(shown)));
        return paint(right === true ? blank + shown : isLast ? shown : shown + blank);
      })
      .join(GAP)
      .trimEnd();
  return [line(columns.map(({ heading }) => ({ text: heading, paint: dim }))), ...rows.map(line)];
}
