import { BUILT_IN_WORKER_NAMES } from '#protocol/built-in-worker-names.ts';

/** The whitelist of workers: all that there are. What is not in it does not exist (spec/workers.md "Registry"). */
export function starterRegistry(): string {
  const targets = BUILT_IN_WORKER_NAMES.map((name) => [name, name.replace('Internal:', 'builtin:')]);
  return `${JSON.stringify(Object.fromEntries(targets), null, 2)}\n`;
}
