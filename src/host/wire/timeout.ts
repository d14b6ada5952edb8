/**
 * Calls after so many milliseconds, and when what the system had received by then has been read: a process that was busy
 * meanwhile is late itself. Returns what ends it.
 */
export function patienceOf(milliseconds: number, work: () => void): () => void {
  let soon: NodeJS.Immediate | undefined;
  const timer = setTimeout(() => {
    // What is read is taken in the turn that follows.
    soon = setImmediate(() => (soon = setImmediate(work)));
  }, milliseconds);
  return () => {
    clearTimeout(timer);
    clearImmediate(soon);
  };
}
