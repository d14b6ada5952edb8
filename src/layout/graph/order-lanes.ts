import { calledNodes, type LayoutGraph, nextBlock } from './layout-graph.ts';

/** Returns, for each node, the indexes of the nodes that its transition rows lead to, in written order. */
function followersOf({ nodes }: LayoutGraph): readonly (readonly number[])[] {
  const indexes = new Map(nodes.map(({ id }, index) => [id, index] as const));
  const owners = new Map(nodes.flatMap(({ blocks }, index) => blocks.map(({ id }) => [id, index] as const)));
  return nodes.map(({ blocks }, index) => {
    const actions = blocks.flatMap(({ rows }) => rows.map(({ action }) => action));
    const found = actions.flatMap((action) => [
      ...calledNodes(action).map((id) => indexes.get(id)),
      owners.get(nextBlock(action) ?? ''),
    ]);
    return [...new Set(found.filter((one) => one !== undefined && one !== index))].filter((one) => one !== undefined);
  });
}

/**
 * Returns the node indexes in topological order, callers before callees where no cycle prevents it: depth first from
 * the entry node in written order, then from each node that was not reached.
 */
export function orderLanes(graph: LayoutGraph): readonly number[] {
  const followers = followersOf(graph);
  const entry = graph.nodes.findIndex(({ id }) => id === graph.entry);
  const starts = [...(entry === -1 ? [] : [entry]), ...graph.nodes.keys()];
  const seen = new Set<number>();
  const ordered: number[] = [];
  // A node that was reached from an earlier start keeps its position, so a later start node that calls it is placed
  // after it.
  for (const start of starts) ordered.push(...postOrder(start, followers, seen).reverse());
  return ordered;
}

/**
 * Returns the nodes reachable from `start` in postorder. The last follower is visited first, so that the reversed
 * result keeps the written order.
 */
function postOrder(start: number, followers: readonly (readonly number[])[], seen: Set<number>): number[] {
  if (seen.has(start)) return [];
  seen.add(start);
  const finished: number[] = [];
  const path = [{ node: start, left: [...(followers[start] ?? [])] }];
  for (let top = path.at(-1); top !== undefined; top = path.at(-1)) {
    const next = top.left.pop();
    if (next === undefined) {
      finished.push(top.node);
      path.pop();
    } else if (!seen.has(next)) {
      seen.add(next);
      path.push({ node: next, left: [...(followers[next] ?? [])] });
    }
  }
  return finished;
}
