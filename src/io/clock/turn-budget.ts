/** Runs work in the next turn of the event loop, after everything that is pending in this one. */
export const nextTurn = (work: () => void): void => void setImmediate(work);

/** The time in milliseconds that synchronous work may take before the event loop handles other events. */
const MOST_MS = 4;

/**
 * Creates a function that synchronous work calls between its parts. It returns null while the work may go on in this
 * turn of the event loop, else a promise that resolves in the next turn.
 */
export function createTurnBudget(now: () => number = () => performance.now()): () => Promise<void> | null {
  let began = now();
  return () => {
    if (now() - began < MOST_MS) return null;
    return new Promise((resolve) => {
      nextTurn(() => {
        began = now();
        resolve();
      });
    });
  };
}
