import { BUILT_IN_WORKERS } from '#workers/index.ts';

/** Returns the names of the built-in workers. */
export const builtInNames = (): readonly string[] => [...BUILT_IN_WORKERS.keys()];
