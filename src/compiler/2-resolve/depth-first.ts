interface Visit<Key> {
  readonly key: Key;
  readonly next: readonly Key[];
  at: number;
}

/** Names at most so many members of a cycle. */
const SHOWN = 8;

export interface Walk<Key> {
  /** In the order in which keys are first met. */
  readonly preorder: readonly Key[];
  /** Each key after all that it leads to. */
  readonly postorder: readonly Key[];
}

/** A depth-first walk without recursion. `onCycle` hears of each edge that leads back, with the keys of the circle. */
export function depthFirst<Key>(
  starts: Iterable<Key>,
  next: (key: Key) => readonly Key[],
  onCycle: (from: Key, to: Key, circle: readonly Key[]) => void,
): Walk<Key> {
  const preorder: Key[] = [];
  const postorder: Key[] = [];
  const height = new Map<Key, number>();
  const done = new Set<Key>();
  const stack: Visit<Key>[] = [];
  const enter = (key: Key): void => {
    height.set(key, stack.length);
    preorder.push(key);
    stack.push({ key, next: next(key), at: 0 });
  };
  for (const start of starts) {
    if (!height.has(start)) enter(start);
    for (let visit = stack.at(-1); visit !== undefined; visit = stack.at(-1)) {
      const child = visit.next[visit.at];
      if (child === undefined) {
        stack.pop();
        done.add(visit.key);
        postorder.push(visit.key);
        continue;
      }
      visit.at += 1;
      const reached = height.get(child);
      if (reached === undefined) enter(child);
      else if (!done.has(child))
        onCycle(
          visit.key,
          child,
          stack.slice(reached, reached + SHOWN).map(({ key }) => key),
        );
    }
  }
  return { preorder, postorder };
}
