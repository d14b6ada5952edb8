/** Gits at a time. */
const LANES = 8;

/** Some at a time, in their order. */
export async function inLanes<Item, Value>(
  items: readonly Item[],
  work: (item: Item) => Promise<Value>,
): Promise<readonly Value[]> {
  const done: Value[] = [];
  for (let at = 0; at < items.length; at += LANES)
    done.push(...(await Promise.all(items.slice(at, at + LANES).map(work))));
  return done;
}
