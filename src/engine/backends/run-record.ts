import { type Journal, partedFrom, type RecoveredState, type Replay } from '#actors/journal/index.ts';
import type { Failure } from '#protocol/response.ts';
import type { RunContext } from '#protocol/run.ts';
import { type StepStarts, createStepStarts } from './step-starts.ts';

interface RunRecordParts {
  readonly journal: Journal;
  readonly replay: Replay;
  readonly recovered: Pick<RecoveredState, 'engine'>;
  readonly now: () => number;
}

interface RunRecord extends Pick<RunContext, 'keepPath' | 'keepEnd'> {
  readonly stepStarts: StepStarts;
  /** Returns why the run's state can't be stored, or why its replay differs from the journal; null if neither. */
  trouble(): Failure | null;
}

/** Creates the record of a run's path and end. After the end, nothing more is recorded. */
export function createRunRecord({ journal, replay, recovered, now }: RunRecordParts): RunRecord {
  /** True once the run has ended: later events are dropped. */
  let isOver = false;
  const stepStarts = createStepStarts(({ key, attempt }) => {
    if (!isOver) journal.append({ type: 'unbegun', key, attempt, at: now() });
  });
  return {
    stepStarts,
    trouble: () => {
      const difference = isOver ? null : replay.difference();
      const found = difference === null ? journal.trouble() : partedFrom(difference, recovered.engine);
      if (found === null) return null;
      const reason = found.code === 'corrupt_state' ? 'corrupt_state' : 'state_not_saved';
      return { reason, details: { message: found.message, ...found.data }, errorType: null };
    },
    keepPath: (entry) => {
      stepStarts.keepStopped();
      if (!replay.confirm(entry)) journal.append({ type: 'path', entry });
    },
    keepEnd: ({ outcome, failure }) => {
      // A run that could not be replayed or written keeps its stored state.
      if (replay.difference() !== null || journal.trouble() !== null) return;
      stepStarts.keepStopped();
      isOver = true;
      const at = now();
      if (outcome === 'interrupted' || outcome === 'paused') journal.append({ type: 'stop', how: outcome, at });
      else
        journal.append({ type: 'end', outcome, reason: failure?.reason ?? null, details: failure?.details ?? {}, at });
    },
  };
}
