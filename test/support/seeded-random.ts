/** The seed of random tests: that of `ROBOSMITH_SEED`, or another one in each run. Tests print it. */
export const seed = Number(process.env['ROBOSMITH_SEED'] ?? Date.now() % 2 ** 31);

/** Returns a reproducible generator of numbers in [0, 1) from a number (mulberry32). */
export function seededRandom(start: number): () => number {
  let state = start | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Returns a random integer from 0 to `count` - 1. */
export const pick = (random: () => number, count: number): number => Math.floor(random() * count);
