/**
 * Calls `work` after this time, but only after all data that the operating system has already received was handled,
 * since this process may itself be the cause of a delay. Returns a function that cancels it.
 */
export function startTimeout(milliseconds: number, work: () => void): () => void {
  let soon: NodeJS.Immediate | undefined;
  const timer = setTimeout(() => {
    // Data that was read is handled in the following turn.
    soon = setImmediate(() => (soon = setImmediate(work)));
  }, milliseconds);
  return () => {
    clearTimeout(timer);
    clearImmediate(soon);
  };
}
