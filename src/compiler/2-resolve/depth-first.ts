interface Visit<Key> {
  readonly key: Key;
  readonly next: readonly Key[];
  at: number;
}

/** The maximum number of members of a cycle that are listed in a message. */
const SHOWN = 8;

interface Walk<Key> {
  /** Keys in the order in which they are visited first. */
  readonly preorder: readonly Key[];
  /** Keys in postorder: each key comes after the keys that its edges lead to, except in a cycle. */
  readonly postorder: readonly Key[];
}

/**
 * Walks a graph depth first, without recursion. `onCycle` is called for each edge that closes a cycle, with the cycle's
 * keys.
 */
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
