/**
 * Calls `work` after a number of milliseconds, but not before all data that the operating system has already received
 * is handled: a busy process may have read it late. Returns a function that cancels the timer.
 */
export function startTimeout(milliseconds: number, work: () => void): () => void {
  let soon: NodeJS.Immediate | undefined;
  const timer = setTimeout(() => {
    // Data that is read in this turn of the event loop is handled in the following turn.
    soon = setImmediate(() => (soon = setImmediate(work)));
  }, milliseconds);
  return () => {
    clearTimeout(timer);
    clearImmediate(soon);
  };
}
