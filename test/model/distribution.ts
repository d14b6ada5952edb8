import type { RunOutcome } from '../reference/run-outcome.ts';

const BUCKETS = [0, 1, 2, 5, 10, 20, 50] as const;

const bucketOf = (length: number): string => {
  const from = BUCKETS.findLast((start) => length >= start) ?? 0;
  return `${String(from)}+`;
};

/** Statistics about random runs. They show that the generated workflows are not all trivial. */
export class Distribution {
  readonly #counts = new Map<string, Map<string, number>>();

  add(outcome: RunOutcome): void {
    this.#count('reason', outcome.reason ?? 'success');
    this.#count('path entries', bucketOf(outcome.path.length));
    this.#count('depth', String(outcome.depth));
    const actions = new Set(outcome.path.map((entry) => (entry.action ?? 'none').split(':')[0] ?? ''));
    for (const action of actions) this.#count('runs with', action);
    const signals = new Set(outcome.path.map((entry) => entry.signal ?? 'cancelled or skipped'));
    for (const signal of signals) this.#count('runs with signal', signal);
    if (outcome.path.some((entry) => entry.attempts > 1)) this.#count('runs with', 'more attempts');
    if (outcome.path.some((entry) => entry.frame.includes('~'))) this.#count('runs with', 'second child');
  }

  lines(): readonly string[] {
    return [...this.#counts].map(([name, counts]) => {
      const parts = [...counts].sort(([, a], [, b]) => b - a).map(([value, count]) => `${value} ${String(count)}`);
      return `${name}: ${parts.join(', ')}`;
    });
  }

  #count(name: string, value: string): void {
    const counts = this.#counts.get(name) ?? new Map<string, number>();
    counts.set(value, (counts.get(value) ?? 0) + 1);
    this.#counts.set(name, counts);
  }
}
