type Unit = 'µs' | 'MB' | 'bytes' | 'tokens' | '%';

/** One measurement and its floor, sampled alternately so that both see the same load of the machine. */
export interface Pair {
  readonly name: string;
  readonly target: string;
  /** The cost of one unit of the measured work, and of its floor, both in `unit`. */
  readonly measured: number;
  readonly floor: number;
  readonly unit: Unit;
  readonly ratio: number;
  readonly holds: boolean;
}

type Sample = () => Promise<number> | number;

const middle = (values: readonly number[]): number => {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
};

/** Returns the medians of `rounds` interleaved samples. A first round only warms up. */
export async function interleave(rounds: number, samples: readonly Sample[]): Promise<readonly number[]> {
  const taken = samples.map((): number[] => []);
  for (let round = 0; round <= rounds; round += 1)
    for (const [index, sample] of samples.entries()) {
      const value = await sample();
      if (round > 0) taken[index]?.push(value);
    }
  return taken.map(middle);
}

/** Compares a measurement with its floor: measured ÷ floor must be at most `limit`. */
export const atMost = (name: string, limit: number, measured: number, floor: number, unit: Unit = 'µs'): Pair => ({
  name,
  target: `≤ ${limit} ×`,
  measured,
  floor,
  unit,
  ratio: measured / floor,
  holds: measured / floor <= limit,
});

/** Compares a measurement with a peer: peer ÷ measured must be at least `limit`. */
export const atLeast = (name: string, limit: number, measured: number, peer: number): Pair => ({
  name,
  target: `≥ ${limit} × less`,
  measured,
  floor: peer,
  unit: 'µs',
  ratio: peer / measured,
  holds: peer / measured >= limit,
});

export async function timed(run: () => unknown): Promise<number> {
  const started = performance.now();
  await run();
  return (performance.now() - started) * 1000;
}
