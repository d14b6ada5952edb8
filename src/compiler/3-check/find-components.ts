interface Frame<Key> {
  readonly key: Key;
  readonly next: readonly Key[];
  at: number;
}

/** Returns the strongly connected components of a graph (Tarjan's algorithm), without recursion and in linear time. */
export function findComponents<Key>(
  keys: Iterable<Key>,
  next: (key: Key) => readonly Key[],
): readonly (readonly Key[])[] {
  const index = new Map<Key, number>();
  const low = new Map<Key, number>();
  const held = new Set<Key>();
  const path: Key[] = [];
  const components: Key[][] = [];
  const stack: Frame<Key>[] = [];
  const lower = (key: Key, to: number): void => {
    low.set(key, Math.min(low.get(key) ?? to, to));
  };
  const enter = (key: Key): void => {
    index.set(key, index.size);
    low.set(key, index.size - 1);
    held.add(key);
    path.push(key);
    stack.push({ key, next: next(key), at: 0 });
  };
  const leave = (key: Key): void => {
    stack.pop();
    const parent = stack.at(-1);
    const lowest = low.get(key) ?? 0;
    if (parent !== undefined) lower(parent.key, lowest);
    if (lowest !== index.get(key)) return;
    const component = path.splice(path.lastIndexOf(key));
    for (const member of component) held.delete(member);
    components.push(component);
  };
  for (const start of keys) {
    if (!index.has(start)) enter(start);
    for (let frame = stack.at(-1); frame !== undefined; frame = stack.at(-1)) {
      const child = frame.next[frame.at];
      frame.at += 1;
      if (child === undefined) leave(frame.key);
      else if (!index.has(child)) enter(child);
      else if (held.has(child)) lower(frame.key, index.get(child) ?? 0);
    }
  }
  return components;
}
