/** Returns the key of the draft of a halt's guidance. */
export const guidanceKey = ({ run, halt }: { readonly run: string; readonly halt: string }): string =>
  `halt ${run} ${halt}`;

/** Returns the key of the draft of a session's commit message. */
export const commitMessageKey = (session: string): string => `message ${session}`;
