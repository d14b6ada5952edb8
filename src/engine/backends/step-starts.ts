import type { LocalKey } from '#protocol/journal.ts';

/** An execution whose intent is written, and whose worker has not been told of it. */
interface Beginning {
  readonly key: LocalKey;
  readonly attempt: number;
  /** Aborted: it has been stopped. */
  readonly signal: AbortSignal;
}

/** What is stopped between its intent and its worker has not begun, and is not to be taken for cut off. */
export function createBeginnings(keep: (one: Beginning) => void) {
  const all = new Set<Beginning>();
  const keepUnbegun = (one: Beginning): void => {
    if (all.delete(one)) keep(one);
  };
  return {
    add: (one: Beginning): void => void all.add(one),
    /** Its worker is told now. */
    began: (one: Beginning): void => void all.delete(one),
    keepUnbegun,
    /** Before the lines of what was cut off, and the one that ends the run: nothing stands after that. */
    keepStopped: (): void => {
      for (const one of all) if (one.signal.aborted) keepUnbegun(one);
    },
  };
}
