/** The features of the manifest format that this engine does not implement. Each use is reported as a warning. */
export const NOT_IN_FORCE: ReadonlySet<string> = new Set();
