import type { Count } from '#protocol/count.ts';
import path from 'node:path';
import { readEvents } from '#actors/event-log/index.ts';
import { fileCalls } from '#io/files/file-calls.ts';

/** What the context slices of runs cost and saved, in tokens. */
export interface ContextSavings {
  /** The number of slices that were assembled. */
  readonly slices: Count;
  readonly tokens: Count;
  /** The additional tokens that the whole files named in the answers would have needed. */
  readonly tokens_saved: Count;
}

const NOTHING: ContextSavings = { slices: 0, tokens: 0, tokens_saved: 0 };

const CONTEXT_QUERY = 'Internal:ContextQuery';

const numberOf = (value: unknown): number => (typeof value === 'number' ? value : 0);

const add = (sum: ContextSavings, tokens: unknown, saved: unknown): ContextSavings => ({
  slices: sum.slices + 1,
  tokens: sum.tokens + numberOf(tokens),
  tokens_saved: sum.tokens_saved + numberOf(saved),
});

/**
 * Sums the context slices of the runs whose ids have this prefix, by the project's event log: those of blocks, and
 * those that `Internal:ContextQuery` ran.
 */
export function contextSavings(root: string, runPrefix = ''): ContextSavings {
  const type = ['context.assembled', 'block.started', 'block.finished'] as const;
  const queried = new Set<string>();
  let sum = NOTHING;
  for (const event of readEvents(fileCalls, path.join(root, '.flow'), { type }).events) {
    if ('payload' in event || !event.run_id.startsWith(runPrefix)) continue;
    if (event.type === 'context.assembled') sum = add(sum, event.tokens, event.tokens_saved);
    else if (event.type === 'block.started' && event.worker === CONTEXT_QUERY)
      queried.add(`${event.run_id} ${event.step_key}`);
    else if (event.type === 'block.finished' && queried.has(`${event.run_id} ${event.step_key}`))
      sum = add(sum, event.stats['tokens'], event.stats['tokensSaved']);
  }
  return sum;
}
