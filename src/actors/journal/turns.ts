import type { FramePath } from '#protocol/id.ts';

/** Is one a call below the other, or the same? Branches of a FORK are not. */
const areRelated = (one: FramePath, other: FramePath): boolean =>
  one === other || one === '/' || other === '/' || one.startsWith(`${other}/`) || other.startsWith(`${one}/`);

/**
 * One frame a turn of the event loop, with the calls that follow from it: what two branches hear within one turn
 * would be worked off in an order that depends on how many promises each goes through.
 */
export function createTurns(nextTurn: (work: () => void) => void) {
  let holder: FramePath | null = null;
  const queue: { readonly frame: FramePath; readonly go: () => void }[] = [];
  const next = (): void => {
    const first = queue.shift();
    holder = first?.frame ?? null;
    if (first === undefined) return;
    nextTurn(next);
    first.go();
  };
  /** Null: it is this frame's turn; else resolves when it is. */
  return (frame: FramePath): Promise<void> | null => {
    if (holder === null) nextTurn(next);
    else if (queue.length > 0 || !areRelated(holder, frame))
      return new Promise((go) => queue.push({ frame, go: () => go() }));
    holder = frame;
    return null;
  };
}
