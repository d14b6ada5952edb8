import { collapse, type CollapsedText, countUpTo } from './collapse.ts';

/** A text with all line endings converted to `\n`, with a mapping of offsets to the original text. */
export interface FlatText {
  readonly flat: string;
  readonly raw: string;
  /** Returns the offset in `raw` of an offset in `flat`. */
  toRaw(offset: number): number;
  /** Returns the number of lines. Text after the last line ending counts as a line unless it is empty. */
  lines(): number;
  /** Returns the number of the line, from 1, that contains an offset. */
  lineAt(offset: number): number;
  /** Returns the text of a line without its ending. Lines are numbered from 1 to `lines()`. */
  lineText(line: number): string;
  lineStart(line: number): number;
  lineEnd(line: number): number;
  /** Returns the text with normalised white space. It is computed once and then cached. */
  collapsed(): CollapsedText;
  /** Returns the line ending for a new line at this offset: that of the line there, or of the line before it. */
  endingAt(offset: number): string;
}

/** Returns the offsets in the flat text that directly follow a `\r\n` of the original text. */
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

/** Converts line endings to `\n`. A single `\r` counts as a line ending only if the text contains no `\n`. */
function flatIn(raw: string): string {
  if (!raw.includes('\r')) return raw;
  return raw.includes('\n') ? raw.replaceAll('\r\n', '\n') : raw.replaceAll('\r', '\n');
}

export function flatten(raw: string): FlatText {
  const flat = flatIn(raw);
  const pairs = flat.length < raw.length ? pairsIn(raw) : [];
  let known: readonly number[] | null = null;
  let short: CollapsedText | null = null;
  // The offsets of lines are computed only on first use, because many edits need no line numbers.
  const starts = (): readonly number[] => (known ??= startsIn(flat));
  const toRaw = (offset: number): number => offset + countUpTo(pairs, offset);
  const lineStart = (line: number): number => starts()[line - 1] ?? flat.length;
  const lineEnd = (line: number): number => {
    const next = starts()[line];
    return next === undefined ? flat.length : next - 1;
  };
  return {
    flat,
    raw,
    toRaw,
    lineStart,
    lineEnd,
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
