import {
  type createCompletions,
  executionId,
  frameOf,
  inlineOrBlob,
  isBlobRef,
  isSurelySmall,
  type Journal,
  type Place,
  readBlob,
  type Replay,
} from '#actors/journal/index.ts';
import { spentBy } from '#logic/calls/count-spending.ts';
import type { BlobRef, JournalEntry, LocalKey } from '#protocol/journal.ts';
import { messageOf } from '#protocol/message-of.ts';
import type { TimedValue, RunContext, StepResult } from '#protocol/run.ts';
import type { StepExecution } from './step-starts.ts';

type Result = Extract<JournalEntry, { type: 'result' }>;

interface StepResultsParts {
  readonly journal: Journal;
  readonly replay: Pick<Replay, 'part'>;
  readonly blobs: Place & { readonly newId: (bytes: number) => string };
  readonly completions: Pick<ReturnType<typeof createCompletions>, 'forget'>;
  readonly turns: RunContext['turn'];
  readonly now: () => number;
}

export interface StepResults {
  /**
   * Records a result and delivers it once the frame may continue, so that a replay can repeat the order of the frames.
   * `isFound`: the worker reported the result after a crash, without being executed again.
   */
  deliver(
    execution: StepExecution,
    stepped: StepResult,
    isFound?: boolean,
  ): Promise<TimedValue<StepResult>> | TimedValue<StepResult>;
  /** Reads a recorded result, which is in a blob if it is large. */
  resolve(key: LocalKey, known: TimedValue<StepResult | BlobRef>): TimedValue<StepResult>;
}

/** Creates the functions that write step results to a journal and its blobs, and read them. */
export function createStepResults(parts: StepResultsParts): StepResults {
  const { journal, replay, blobs, completions, turns, now } = parts;

  const inOrBeside = (result: Result, own: StepResult): Result => {
    try {
      const stepped = inlineOrBlob<StepResult>(blobs, own);
      const spent = isBlobRef(stepped) ? spentBy(own) : null;
      return { ...result, stepped, ...(spent === null ? {} : { spent }) };
    } catch (thrown) {
      throw journal.giveUp(result, thrown);
    }
  };

  /** Records the usage of an abandoned execution. */
  const keepSpent = ({ key, attempt }: StepExecution, stepped: StepResult): void => {
    const spent = spentBy(stepped);
    if (spent !== null) journal.append({ type: 'spent', execution: executionId(key, attempt), spent, at: now() });
  };

  /** Records a result in the journal before the run continues with it. */
  const record = (execution: StepExecution, stepped: StepResult, isFound: boolean): TimedValue<StepResult> => {
    const { key, attempt, signal } = execution;
    const at = now();
    // Nothing awaits the result of a stopped step, now or in a replay, so only its usage is recorded.
    if (signal.aborted) keepSpent(execution, stepped);
    else {
      const result: Result = { type: 'result', key, attempt, stepped, ...(isFound ? { found: true } : {}), at };
      journal.append(isSurelySmall(stepped) ? result : inOrBeside(result, stepped));
      // Removes the completion record once the result is synced. `forget` handles the rejection of a failed sync, since
      // an unhandled rejection ends the process.
      completions.forget(key, attempt, () => journal.safe());
    }
    return { value: stepped, at };
  };

  return {
    deliver: (execution, stepped, isFound = false) => {
      const turn = turns(frameOf(execution.key));
      if (turn === null) return record(execution, stepped, isFound);
      return turn.then(() => record(execution, stepped, isFound));
    },
    resolve: (key, { value, at }) => {
      if (!isBlobRef(value)) return { value, at };
      try {
        return { value: JSON.parse(readBlob(blobs, value)) as StepResult, at };
      } catch (thrown) {
        replay.part({ recorded: `result of ${key}`, now: messageOf(thrown) });
        throw thrown;
      }
    },
  };
}
