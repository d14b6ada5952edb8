/** Returns the first sentence of an advice: the suggestion of a name that was probably meant. */
export const suggestion = (near: string): string => `Did you mean "${near}"? `;

const WRITTEN = /^Did you mean "(.*?)"\? /;

/** Returns the name that an advice suggests; null if it suggests none. */
export const suggestedIn = (advice: string): string | null => WRITTEN.exec(advice)?.[1] ?? null;
