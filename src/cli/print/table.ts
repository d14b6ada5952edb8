/** A cell: its text, and how it is painted once it has its width. */
export interface Cell {
  readonly text: string;
  readonly paint?: (text: string) => string;
}

export interface Column {
  readonly heading: string;
  readonly right?: true;
  /** On a narrow screen it may be cut to this many characters; without it, never. */
  readonly least?: number;
}

const GAP = '  ';

/** Widths that fit the screen as far as columns may be cut, the widest of those first. */
function fit(columns: readonly Column[], wanted: readonly number[], room: number): readonly number[] {
  const widths = [...wanted];
  const total = (): number => widths.reduce((sum, width) => sum + width, GAP.length * (widths.length - 1));
  while (total() > room) {
    let widest = -1;
    for (const [index, { least }] of columns.entries()) {
      const width = widths[index] ?? 0;
      if (least !== undefined && width > least && width > (widths[widest] ?? -1)) widest = index;
    }
    if (widest === -1) break;
    widths[widest] = (widths[widest] ?? 0) - 1;
  }
  return widths;
}

const cut = (text: string, width: number): string =>
  text.length <= width ? text : `${text.slice(0, Math.max(0, width - 1))}…`;

/** Lines of a table with its headings; `room`: characters on a screen, infinite where it is none. */
export function tableLines(
  columns: readonly Column[],
  rows: readonly (readonly Cell[])[],
  room: number,
  dim: (text: string) => string,
): readonly string[] {
  const wanted = columns.map(({ heading }, index) =>
    rows.reduce((most, row) => Math.max(most, row[index]?.text.length ?? 0), heading.length),
  );
  const widths = fit(columns, wanted, room);
  const line = (cells: readonly Cell[]): string =>
    columns
      .map(({ right }, index) => {
        const { text, paint = (same: string): string => same } = cells[index] ?? { text: '' };
        const width = widths[index] ?? 0;
        const shown = cut(text, width);
        const isLast = index === columns.length - 1;
        return paint(right === true ? shown.padStart(width) : isLast ? shown : shown.padEnd(width));
      })
      .join(GAP)
      .trimEnd();
  return [line(columns.map(({ heading }) => ({ text: heading, paint: dim }))), ...rows.map(line)];
}
