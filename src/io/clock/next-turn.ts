/** After all that is under way in this turn of the event loop. */
export const nextTurn = (work: () => void): void => void setImmediate(work);
