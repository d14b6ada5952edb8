import { builtInNames } from '#engine/authoring.ts';

/** Returns the starter's registry of workers. Workers that it does not list can't be used. */
export function starterRegistry(): string {
  const targets = builtInNames().map((name) => [name, name.replace('Internal:', 'builtin:')]);
  return `${JSON.stringify(Object.fromEntries(targets), null, 2)}\n`;
}
