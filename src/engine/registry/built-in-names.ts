import { BUILT_IN_WORKERS } from '#workers/index.ts';

/** The built-in workers of this version, as a manifest calls them. */
export const builtInNames = (): readonly string[] => [...BUILT_IN_WORKERS.keys()];
