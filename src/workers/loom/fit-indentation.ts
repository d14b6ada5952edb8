import type { Numbered } from './operation.ts';

/** Enough of a file to know its habits. */
const LOOKED_AT = 200_000;

const INDENTED = /^(\t| {2,})/gm;

const commonDivisor = (left: number, right: number): number =>
  right === 0 ? left : commonDivisor(right, left % right);

/** Spaces a level: what all indented lines have in common; 0 when there are none. */
const unitOf = (text: string): number =>
  [...text.matchAll(/^( {2,})[^\s*]/gm)].reduce((unit, [, blanks = '']) => commonDivisor(blanks.length, unit), 0);

type Style = { readonly kind: 'tabs' } | { readonly kind: 'spaces'; readonly unit: number } | null;

/** Null: it has none, or several. */
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

/** Content that is indented in another way than the whole file is: tabs for spaces, or spaces for tabs. */
function fitted(content: string, style: Style): string {
  const own = styleOf(content);
  if (style === null || own === null || own.kind === style.kind) return content;
  return own.kind === 'spaces'
    ? withTabs(content, own.unit)
    : withSpaces(content, style.kind === 'spaces' ? style.unit : 0);
}

/** Operations whose content is indented as the file is; the same list when that changes nothing. */
export function fitIndentation(operations: readonly Numbered[], flat: string): readonly Numbered[] {
  if (!operations.some(({ content }) => /^(?:\t| {2})/m.test(content))) return operations;
  const style = styleOf(flat);
  const all = operations.map((one) => ({ ...one, content: fitted(one.content, style) }));
  return all.some(({ content }, index) => content !== operations[index]?.content) ? all : operations;
}
