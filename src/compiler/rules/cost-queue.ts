/** A priority queue of numbers, in the order of their costs (a binary heap). */
export class CostQueue {
  readonly #items: number[] = [];
  readonly #costs: number[] = [];

  push(item: number, cost: number): void {
    const [items, costs] = [this.#items, this.#costs];
    let at = items.length;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      const above = costs[parent] ?? 0;
      if (above <= cost) break;
      items[at] = items[parent] ?? 0;
      costs[at] = above;
      at = parent;
    }
    items[at] = item;
    costs[at] = cost;
  }

  /** Removes the item of the least cost; null if the queue is empty. */
  pop(): number | null {
    const [items, costs] = [this.#items, this.#costs];
    const first = items[0];
    const last = items.pop();
    const cost = costs.pop();
    if (first === undefined || last === undefined || cost === undefined) return null;
    if (items.length > 0) this.#sink(last, cost);
    return first;
  }

  #sink(item: number, cost: number): void {
    const [items, costs] = [this.#items, this.#costs];
    let at = 0;
    for (;;) {
      let child = 2 * at + 1;
      if (child >= items.length) break;
      if (child + 1 < items.length && (costs[child + 1] ?? 0) < (costs[child] ?? 0)) child += 1;
      const below = costs[child] ?? 0;
      if (below >= cost) break;
      items[at] = items[child] ?? 0;
      costs[at] = below;
      at = child;
    }
    items[at] = item;
    costs[at] = cost;
  }
}
