const BUILT_IN = ['TestRunner', 'RunLinter', 'RunBuilder', 'Command', 'FileSystemWriter', 'ManualIntervention'];

/** The whitelist of workers; what is not in it does not exist (spec/workers.md "Registry"). */
export const STARTER_REGISTRY = `${JSON.stringify(Object.fromEntries(BUILT_IN.map((name) => [`Internal:${name}`, `builtin:${name}`])), null, 2)}\n`;
