/** What the manifest format has and this engine has not: accepted with a warning, so that nobody relies on it. */
export const NOT_IN_FORCE: ReadonlySet<string> = new Set();
