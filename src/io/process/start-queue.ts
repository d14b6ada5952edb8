/**
 * Creates a queue that gives each caller a turn of the event loop of its own. It returns null if the current turn is
 * free, else a promise for a later one.
 */
export function createOneATurn(nextTurn: (work: () => void) => void): () => Promise<void> | null {
  const waiting: (() => void)[] = [];
  let isTaken = false;
  const next = (): void => {
    const first = waiting.shift();
    isTaken = first !== undefined;
    if (first === undefined) return;
    nextTurn(next);
    first();
  };
  return () => {
    if (isTaken) return new Promise((resolve) => waiting.push(resolve));
    isTaken = true;
    nextTurn(next);
    return null;
  };
}
