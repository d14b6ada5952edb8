import { builtInNames } from '#engine/authoring.ts';

/** The whitelist of workers: all that there are. What is not in it does not exist (spec/workers.md "Registry"). */
export function starterRegistry(): string {
  const targets = builtInNames().map((name) => [name, name.replace('Internal:', 'builtin:')]);
  return `${JSON.stringify(Object.fromEntries(targets), null, 2)}\n`;
}
