const DAMPING = 0.85;
const ROUNDS = 25;

/**
 * Ranks files by PageRank over dependencies: a file is important if important files depend on it. Ties are ordered by
 * path.
 */
export function rankFiles(paths: readonly string[], edges: (path: string) => readonly string[]): readonly string[] {
  const index = new Map(paths.map((path, at) => [path, at]));
  const targets = paths.map((path) => edges(path).flatMap((to) => index.get(to) ?? []));
  let ranks = new Float64Array(paths.length).fill(1 / Math.max(1, paths.length));
  for (let round = 0; round < ROUNDS; round += 1) {
    const next = new Float64Array(paths.length);
    let loose = 0;
    for (const [at, to] of targets.entries()) {
      const rank = ranks[at] ?? 0;
      if (to.length === 0) loose += rank;
      for (const target of to) next[target] = (next[target] ?? 0) + rank / to.length;
    }
    ranks = next.map((rank) => (1 - DAMPING + DAMPING * loose) / paths.length + DAMPING * rank);
  }
  const order = paths.map((path, at) => ({ path, rank: ranks[at] ?? 0 }));
  return order.sort((a, b) => b.rank - a.rank || (a.path < b.path ? -1 : 1)).map(({ path }) => path);
}
