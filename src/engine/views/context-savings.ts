import path from 'node:path';
import { readEvents } from '#actors/event-log/index.ts';
import { fileCalls } from '#io/files/file-calls.ts';

/** What the context slices of runs cost and saved, in tokens. */
export interface ContextSavings {
  /** The number of slices that were assembled. */
  readonly slices: number;
  readonly tokens: number;
  /** The additional tokens that the whole files named in the answers would have needed. */
  readonly tokens_saved: number;
}

const NOTHING: ContextSavings = { slices: 0, tokens: 0, tokens_saved: 0 };

/** Sums the context slices of the runs whose ids have this prefix, by the project's event log. */
export const contextSavings = (root: string, runPrefix = ''): ContextSavings =>
  readEvents(fileCalls, path.join(root, '.flow'), { type: 'context.assembled' }).events.reduce(
    (sum, event) =>
      event.type === 'context.assembled' && !('payload' in event) && event.run_id.startsWith(runPrefix)
        ? {
            slices: sum.slices + 1,
            tokens: sum.tokens + event.tokens,
            tokens_saved: sum.tokens_saved + event.tokens_saved,
          }
        : sum,
    NOTHING,
  );
