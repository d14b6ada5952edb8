/**
 * Manifest settings without an effect in this engine, which are reported as warnings. Internal:ContextQuery exists, but
 * has no server to query.
 */
export const NOT_IN_FORCE: ReadonlySet<string> = new Set(['Internal:ContextQuery', 'context_slice']);
