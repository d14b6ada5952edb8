import { collapse, type Collapsed } from './collapse.ts';
import { countUpTo } from './count-up-to.ts';

/** A text whose lines all end with `\n`, and the way back to what it was made of. */
export interface FlatText {
  readonly flat: string;
  readonly raw: string;
  /** The offset in `raw`. */
  toRaw(offset: number): number;
  /** How many lines; what follows the last ending is one unless it is empty. */
  lines(): number;
  /** The line, from 1, that holds an offset. */
  lineAt(offset: number): number;
  /** Without its ending. Of a line from 1 to `lines`. */
  lineText(line: number): string;
  lineStart(line: number): number;
  lineEnd(line: number): number;
  /** With white space normalised; made once. */
  collapsed(): Collapsed;
  /** What a new line at this offset ends with: as the line there, or the one before. */
  endingAt(offset: number): string;
}

/** Offsets in the flat text that come right after a `\r\n`. */
function pairsIn(raw: string): readonly number[] {
  const pairs: number[] = [];
  for (let at = raw.indexOf('\r\n'); at >= 0; at = raw.indexOf('\r\n', at + 2)) pairs.push(at + 1 - pairs.length);
  return pairs;
}

function startsIn(flat: string): readonly number[] {
  const starts = [0];
  for (let at = flat.indexOf('\n'); at >= 0; at = flat.indexOf('\n', at + 1)) starts.push(at + 1);
  return starts;
}

/** A `\r` alone ends a line only where no line ends otherwise. */
function flatIn(raw: string): string {
  if (!raw.includes('\r')) return raw;
  return raw.includes('\n') ? raw.replaceAll('\r\n', '\n') : raw.replaceAll('\r', '\n');
}

export function flatten(raw: string): FlatText {
  const flat = flatIn(raw);
  const pairs = flat.length < raw.length ? pairsIn(raw) : [];
  let known: readonly number[] | null = null;
  let short: Collapsed | null = null;
  // Many an edit is found and made without.
  const starts = (): readonly number[] => (known ??= startsIn(flat));
  const toRaw = (offset: number): number => offset + countUpTo(pairs, offset);
  const lineStart = (line: number): number => starts()[line - 1] ?? flat.length;
  const lineEnd = (line: number): number => {
    const next = starts()[line];
    return next === undefined ? flat.length : next - 1;
  };
  return {
    ...{ flat, raw, toRaw, lineStart, lineEnd },
    collapsed: () => (short ??= collapse(flat)),
    lines: () => (starts().at(-1) === flat.length ? starts().length - 1 : starts().length),
    lineAt: (offset) => countUpTo(starts(), offset),
    lineText: (line) => flat.slice(lineStart(line), lineEnd(line)),
    endingAt: (offset) => {
      const here = flat.indexOf('\n', offset);
      const end = here >= 0 ? here : flat.lastIndexOf('\n');
      return end < 0 ? '\n' : raw.slice(toRaw(end), toRaw(end + 1));
    },
  };
}
