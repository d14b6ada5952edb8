import type { NumberedOperation } from './operation.ts';

/** Maximum number of characters of a file that are read to detect its indentation. */
const LOOKED_AT = 200_000;

const INDENTED = /^(\t| {2,})/gm;

const commonDivisor = (left: number, right: number): number =>
  right === 0 ? left : commonDivisor(right, left % right);

/**
 * Returns the number of spaces per level, which is the common divisor of all indentations, or 0 if no line is indented.
 */
const unitOf = (text: string): number =>
  [...text.matchAll(/^( {2,})[^\s*]/gm)].reduce((unit, [, blanks = '']) => commonDivisor(blanks.length, unit), 0);

type Style = { readonly kind: 'tabs' } | { readonly kind: 'spaces'; readonly unit: number } | null;

/** Common numbers of spaces per level, most frequent first. */
const UNITS = [4, 2, 8, 3] as const;
const LARGEST_UNIT = 8;

/** Returns the indentation style of a text, or null if no line is indented or tabs and spaces are mixed. */
function styleOf(text: string): Style {
  const leads = new Set([...text.slice(0, LOOKED_AT).matchAll(INDENTED)].map(([lead]) => lead.charAt(0)));
  if (leads.size !== 1) return null;
  if (leads.has('\t')) return { kind: 'tabs' };
  const unit = unitOf(text.slice(0, LOOKED_AT));
  return unit < 2 ? null : { kind: 'spaces', unit };
}

/** The line of the file that decides on the level of content, and the levels that the content may begin at. */
interface Level {
  /** The level of the line, or the next deeper one if the content comes below a line that opens a block. */
  readonly own: number;
  /** True if the content may also begin at a lower level, which ends the block of the line. */
  readonly mayBeLower: boolean;
}

const tabsOf = (line: string): number => /^\t*/.exec(line)?.[0].length ?? 0;
const blanksOf = (line: string): number => /^ */.exec(line)?.[0].length ?? 0;

const OPENS = /[:{([]\s*$/;

const below = (line: string): Level =>
  OPENS.test(line) ? { own: tabsOf(line) + 1, mayBeLower: false } : { own: tabsOf(line), mayBeLower: true };

const at = (line: string): Level => ({ own: tabsOf(line), mayBeLower: false });

/** Returns the first and the last line of the file that an anchor touches, or null if it is not in the file. */
function linesOf(flat: string, anchor: string): readonly [first: string, last: string] | null {
  const text = anchor.replace(/\n+$/, '');
  const from = flat.indexOf(text);
  if (from === -1) return null;
  const end = flat.indexOf('\n', from + text.length);
  const lines = flat.slice(flat.lastIndexOf('\n', from) + 1, end === -1 ? flat.length : end).split('\n');
  return [lines[0] ?? '', lines.at(-1) ?? ''];
}

/** Returns the level at which an operation places its content, or null if the place does not decide on it. */
function levelOf(flat: string, operation: NumberedOperation): Level | null {
  if (operation.op === 'append') return null;
  if (operation.op === 'replaceLine') return at(flat.split('\n')[operation.line - 1] ?? '');
  if (operation.op === 'replaceBlock' && operation.start === '') return { own: 0, mayBeLower: false };
  const lines = linesOf(flat, operation.op === 'insert' ? operation.anchor : operation.start);
  if (lines === null) return null;
  const [first, last] = lines;
  return operation.op === 'insert' && operation.position === 'before' ? at(first) : below(last);
}

/** Returns whether no line of the content is more than one level deeper than the line before. */
function isStepwise(leads: readonly number[], unit: number): boolean {
  return leads.every((lead, index) => lead - (leads[index - 1] ?? lead) <= unit);
}

/**
 * Returns the number of spaces per level in content that goes into a file with tabs, or null if it is ambiguous: several
 * numbers put the first line at a possible level. That is the level of the line next to it, or a lower one.
 */
function unitFor(content: string, divisor: number, level: Level | null): number | null {
  const leads = content
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map(blanksOf);
  const [first = 0] = leads;
  const units = UNITS.filter((unit) => divisor % unit === 0 && isStepwise(leads, unit));
  // Content that begins in the first column shows its levels by itself.
  if (first === 0) return divisor <= LARGEST_UNIT && isStepwise(leads, divisor) ? divisor : (units[0] ?? null);
  if (level === null) return units.length === 1 ? (units[0] ?? null) : null;
  const fit = units.find((unit) => first === level.own * unit);
  const lower = level.mayBeLower ? units.filter((unit) => first < level.own * unit) : [];
  const [only] = lower;
  if (fit !== undefined) return lower.length > 0 ? null : fit;
  return lower.length === 1 && only !== undefined ? only : null;
}

const withTabs = (content: string, unit: number): string =>
  content.replace(
    /^ +/gm,
    (blanks) => '\t'.repeat(Math.floor(blanks.length / unit)) + ' '.repeat(blanks.length % unit),
  );

const withSpaces = (content: string, unit: number): string =>
  content.replace(/^\t+/gm, (tabs) => ' '.repeat(tabs.length * unit));

/**
 * Converts the indentation of content to the style of its file, from spaces to tabs or from tabs to spaces. Returns null
 * if it is unclear which level the content belongs to.
 */
function fitted(operation: NumberedOperation, style: Style, flat: string): string | null {
  const { content } = operation;
  const own = styleOf(content);
  if (style === null || own === null || own.kind === style.kind) return content;
  if (own.kind === 'spaces') {
    const unit = unitFor(content, own.unit, levelOf(flat, operation));
    return unit === null ? null : withTabs(content, unit);
  }
  return style.kind === 'spaces' && style.unit <= LARGEST_UNIT ? withSpaces(content, style.unit) : content;
}

/**
 * Converts the content of operations to the file's indentation style. Returns the same list if nothing changes, or the
 * first operation whose level is unclear.
 */
export function fitIndentation(
  operations: readonly NumberedOperation[],
  flat: string,
): readonly NumberedOperation[] | { readonly unclear: NumberedOperation } {
  if (!operations.some(({ content }) => /^(?:\t| {2})/m.test(content))) return operations;
  const style = styleOf(flat);
  const all: NumberedOperation[] = [];
  for (const one of operations) {
    const content = fitted(one, style, flat);
    if (content === null) return { unclear: one };
    all.push({ ...one, content });
  }
  return all.some(({ content }, index) => content !== operations[index]?.content) ? all : operations;
}
