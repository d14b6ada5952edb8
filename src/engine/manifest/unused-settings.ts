/** What the manifest format has and this engine has not: validated with a warning, so that nobody relies on it. Internal:ContextQuery is there, and has no server to ask. */
export const NOT_IN_FORCE: ReadonlySet<string> = new Set(['Internal:ContextQuery', 'context_slice']);
