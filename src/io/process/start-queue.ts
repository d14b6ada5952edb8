/**
 * Creates a function that assigns each caller its own turn of the event loop. The function returns null if the current
 * turn is free, else a promise that resolves in a later turn.
 */
export function createStartQueue(nextTurn: (work: () => void) => void): () => Promise<void> | null {
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
