import type { FramePath } from '#protocol/id.ts';

/** Returns whether one frame is the other or a callee of it. Branches of a FORK are not related. */
const areRelated = (one: FramePath, other: FramePath): boolean =>
  one === other || one === '/' || other === '/' || one.startsWith(`${other}/`) || other.startsWith(`${one}/`);

/**
 * Lets one frame per turn of the event loop continue, with its callees. Otherwise the order of two branches within one
 * turn would depend on how many promises each of them awaits.
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
  /** Returns null if it is this frame's turn; otherwise a promise that resolves when it is. */
  return (frame: FramePath): Promise<void> | null => {
    if (holder === null) nextTurn(next);
    else if (queue.length > 0 || !areRelated(holder, frame))
      return new Promise((go) => queue.push({ frame, go: () => go() }));
    holder = frame;
    return null;
  };
}
