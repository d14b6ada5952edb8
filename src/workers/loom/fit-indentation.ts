import type { Numbered } from './operation.ts';

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

/**
 * Returns the lines of the file next to which an operation places its content; an empty list if the operation has no
 * place.
 */
function linesAt(flat: string, operation: Numbered): readonly string[] {
  if (operation.op === 'append') return [];
  if (operation.op === 'replaceLine') return flat.split('\n').slice(operation.line - 1, operation.line);
  const anchor = (operation.op === 'insert' ? operation.anchor : operation.start).replace(/\n+$/, '');
  const at = flat.indexOf(anchor);
  if (at === -1) return [];
  const end = flat.indexOf('\n', at + anchor.length);
  return flat.slice(flat.lastIndexOf('\n', at) + 1, end === -1 ? flat.length : end).split('\n');
}

const tabsOf = (line: string): number => /^\t*/.exec(line)?.[0].length ?? 0;
const blanksOf = (line: string): number => /^ */.exec(line)?.[0].length ?? 0;

/** Returns the depths at which content can begin next to these lines, the most probable one first. */
function depthsAt(lines: readonly string[]): readonly number[] {
  const last = lines.at(-1);
  if (last === undefined) return [];
  const [own, deeper] = [lines.map(tabsOf), tabsOf(last) + 1];
  return /[:{([]\s*$/.test(last) ? [deeper, ...own] : [...own, deeper];
}

/** Returns whether no line of the content is more than one level deeper than the line before. */
function isStepwise(leads: readonly number[], unit: number): boolean {
  return leads.every((lead, index) => lead - (leads[index - 1] ?? lead) <= unit);
}

/**
 * Returns the number of spaces per level in content that goes into a file with tabs. If every line of the content is
 * indented, for example by 8 spaces, the number is ambiguous; then the depth of the lines next to the content decides.
 * Returns null if no number puts the content at a possible depth.
 */
function unitFor(content: string, divisor: number, lines: readonly string[]): number | null {
  const leads = content
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map(blanksOf);
  const [first = 0] = leads;
  const units = UNITS.filter((unit) => divisor % unit === 0);
  for (const depth of depthsAt(lines)) {
    const fit = units.find((unit) => first === depth * unit && isStepwise(leads, unit));
    if (fit !== undefined) return fit;
  }
  // Content that begins in the first column, or that has no place, is independent of the depth of other lines.
  if (first === 0 || lines.length === 0) return divisor <= LARGEST_UNIT ? divisor : (units[0] ?? divisor);
  const deepest = Math.max(...depthsAt(lines));
  return units.find((unit) => first % unit === 0 && first / unit < deepest && isStepwise(leads, unit)) ?? null;
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
function fitted(operation: Numbered, style: Style, flat: string): string | null {
  const { content } = operation;
  const own = styleOf(content);
  if (style === null || own === null || own.kind === style.kind) return content;
  if (own.kind === 'spaces') {
    const unit = unitFor(content, own.unit, linesAt(flat, operation));
    return unit === null ? null : withTabs(content, unit);
  }
  return style.kind === 'spaces' && style.unit <= LARGEST_UNIT ? withSpaces(content, style.unit) : content;
}

/**
 * Converts the content of operations to the file's indentation style. Returns the same list if nothing changes, or the
 * first operation whose level is unclear.
 */
export function fitIndentation(
  operations: readonly Numbered[],
  flat: string,
): readonly Numbered[] | { readonly unclear: Numbered } {
  if (!operations.some(({ content }) => /^(?:\t| {2})/m.test(content))) return operations;
  const style = styleOf(flat);
  const all: Numbered[] = [];
  for (const one of operations) {
    const content = fitted(one, style, flat);
    if (content === null) return { unclear: one };
    all.push({ ...one, content });
  }
  return all.some(({ content }, index) => content !== operations[index]?.content) ? all : operations;
}
