/**
 * Calls `work` after this time, once everything that the system had received by then was read: the delay may be this
 * process's own. Returns a function that cancels it.
 */
export function patienceOf(milliseconds: number, work: () => void): () => void {
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
