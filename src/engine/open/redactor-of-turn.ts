type Redact = (text: string) => string;

/**
 * Returns a function that removes secrets from texts. It collects the secrets at most once per turn of the event loop,
 * since an inspector redacts about a hundred texts per step.
 */
export function redactorOfTurn(find: () => Redact, nextTurn: (work: () => void) => void) {
  let current: Redact | null = null;
  const renew = (): void => {
    current = null;
  };
  return {
    redact: (text: string): string => {
      if (current === null) {
        current = find();
        nextTurn(renew);
      }
      return current(text);
    },
    /** Collects the secrets again, because there may be a new one. */
    renew,
  };
}
