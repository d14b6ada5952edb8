import { BUILT_IN_WORKER_NAMES } from '#protocol/built-in-worker-names.ts';

/** Returns the starter's registry of workers. Workers that it does not list can't be used. */
export function starterRegistry(): string {
  const targets = BUILT_IN_WORKER_NAMES.map((name) => [name, name.replace('Internal:', 'builtin:')]);
  return `${JSON.stringify(Object.fromEntries(targets), null, 2)}\n`;
}
