import type { Halt } from '#protocol/response.ts';
import type { RunId } from '#protocol/id.ts';

type TimedHalt = Pick<Halt, 'block' | 'frame'> & { readonly until: number };

/** Enforces a minimum interval between automatic continuations of the same block, whatever times the block requests. */
interface TimedAnswers {
  /**
   * Returns the time at which the halt may be answered: the halt's own time, or a later one if its block has continued
   * automatically before.
   */
  dueAt(run: RunId, halt: TimedHalt): number;
  /** Records that the halt was answered because its time had come. */
  answered(run: RunId, halt: TimedHalt, now: number): void;
  /** Deletes the data of a run that this process no longer executes. */
  forget(run: RunId): void;
}

const FIRST_MS = 1_000;
const LONGEST_MS = 300_000;
const MOST_DOUBLINGS = 20;

export function createTimedAnswers(): TimedAnswers {
  const runs = new Map<RunId, Map<string, { readonly times: number; readonly at: number }>>();
  const blockOf = ({ block, frame }: TimedHalt): string => JSON.stringify([frame, block]);
  return {
    dueAt: (run, halt) => {
      const last = runs.get(run)?.get(blockOf(halt));
      if (last === undefined) return halt.until;
      const rest = Math.min(FIRST_MS * 2 ** Math.min(last.times - 1, MOST_DOUBLINGS), LONGEST_MS);
      return Math.max(halt.until, last.at + rest);
    },
    answered: (run, halt, now) => {
      const blocks = runs.get(run) ?? new Map<string, { readonly times: number; readonly at: number }>();
      const times = (blocks.get(blockOf(halt))?.times ?? 0) + 1;
      runs.set(run, blocks.set(blockOf(halt), { times, at: now }));
    },
    forget: (run) => void runs.delete(run),
  };
}
