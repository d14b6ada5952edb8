/** Runs work in the next turn of the event loop, after everything that is pending in this one. */
export const nextTurn = (work: () => void): void => void setImmediate(work);
