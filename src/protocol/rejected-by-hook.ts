/** Says that a hook has most likely rejected a commit, with what it printed. */
export const rejectedByHook = (printed: string): string =>
  printed.trim() === ''
    ? 'most likely a hook of the repository rejected it without a message: pre-commit, prepare-commit-msg or commit-msg'
    : `most likely a hook of the repository rejected it:\n${printed}`;
