import type { Numbered } from './operation.ts';

/** Maximum number of characters of a file that are inspected for its indentation. */
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

/** Returns the indentation style of a text, or null if no line is indented or tabs and spaces are mixed. */
function styleOf(text: string): Style {
  const leads = new Set([...text.slice(0, LOOKED_AT).matchAll(INDENTED)].map(([lead]) => lead.charAt(0)));
  if (leads.size !== 1) return null;
  if (leads.has('\t')) return { kind: 'tabs' };
  const unit = unitOf(text.slice(0, LOOKED_AT));
  return unit < 2 || unit > 8 ? null : { kind: 'spaces', unit };
}

const withTabs = (content: string, unit: number): string =>
  content.replace(
    /^ +/gm,
    (blanks) => '\t'.repeat(Math.floor(blanks.length / unit)) + ' '.repeat(blanks.length % unit),
  );

const withSpaces = (content: string, unit: number): string =>
  content.replace(/^\t+/gm, (tabs) => ' '.repeat(tabs.length * unit));

/** Converts the indentation of content to the style of its file, from spaces to tabs or from tabs to spaces. */
function fitted(content: string, style: Style): string {
  const own = styleOf(content);
  if (style === null || own === null || own.kind === style.kind) return content;
  return own.kind === 'spaces'
    ? withTabs(content, own.unit)
    : withSpaces(content, style.kind === 'spaces' ? style.unit : 0);
}

/** Converts the content of operations to the file's indentation style. Returns the same list if nothing changes. */
export function fitIndentation(operations: readonly Numbered[], flat: string): readonly Numbered[] {
  if (!operations.some(({ content }) => /^(?:\t| {2})/m.test(content))) return operations;
  const style = styleOf(flat);
  const all = operations.map((one) => ({ ...one, content: fitted(one.content, style) }));
  return all.some(({ content }, index) => content !== operations[index]?.content) ? all : operations;
}
