/** Names that every JavaScript object answers to. */
const INHERITED: ReadonlySet<string> = new Set(Object.getOwnPropertyNames(Object.prototype));

/** Why a text cannot be a name (spec/manifest.md "Names and grammar"), null when it can. */
export function whyForbidden(name: string): string | null {
  if (name === '') return 'it is empty';
  if (INHERITED.has(name)) return 'every JavaScript object has a property of that name';
  if (name.startsWith('xstate.')) return 'names that begin with "xstate." belong to XState';
  const char = /[^A-Za-z0-9_-]/u.exec(name)?.[0];
  if (char !== undefined) return `it has the character "${char}"`;
  if (/^[0-9]+$/.test(name)) return 'JavaScript would reorder names made of digits only';
  if (name.includes('__')) return '"__" separates a node from its block';
  return name.length > 200 ? 'it is longer than 200 characters' : null;
}
