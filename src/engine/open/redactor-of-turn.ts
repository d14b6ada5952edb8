type Redact = (text: string) => string;

/**
 * Returns a function that takes secrets out of texts. It looks for secrets once in a turn of the event loop, since an
 * inspector redacts a hundred texts a step.
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
    /** Looks for secrets anew: there may be a new one. */
    renew,
  };
}
