/** The property names that every JavaScript object inherits. */
const INHERITED: ReadonlySet<string> = new Set(Object.getOwnPropertyNames(Object.prototype));

/** Returns why a text can't be a name in a manifest, or null if it can. */
export function whyForbidden(name: string): string | null {
  if (name === '') return 'it is empty';
  if (INHERITED.has(name)) return 'every JavaScript object already has a property of that name';
  if (name.startsWith('xstate.')) return 'names that begin with "xstate." are reserved for XState';
  const char = /[^A-Za-z0-9_-]/u.exec(name)?.[0];
  if (char !== undefined) return `it contains the character "${char}"`;
  if (/^[0-9]+$/.test(name)) return 'JavaScript would reorder names made of digits only';
  if (name.includes('__')) return '"__" is reserved to separate a node from its block';
  return name.length > 200 ? 'it is longer than 200 characters' : null;
}
