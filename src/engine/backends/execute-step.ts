import type { Journal } from '#actors/journal/index.ts';
import { type Attempt, classInForce, executeAttempt } from '#actors/run/index.ts';
import type { LocalKey } from '#protocol/journal.ts';
import type { TimedValue, OnStepFact, RunPorts, StepResult } from '#protocol/run.ts';
import type { FoundChange, StepSnapshots } from '#protocol/step-watch.ts';
import type { StepResults } from './step-results.ts';
import type { StepStarts, StepExecution } from './step-starts.ts';

interface StepExecutorParts {
  readonly journal: Journal;
  readonly stepStarts: StepStarts;
  readonly results: Pick<StepResults, 'deliver'>;
  readonly ports: Pick<RunPorts, 'snapshots' | 'mainGuard'>;
  /** What happens after a step that has changed the main checkout. */
  readonly onMainChange: 'warn' | 'halt';
  readonly now: () => number;
  /** Called when the step's worker is about to start. */
  readonly onBegin: (key: LocalKey) => void;
}

type ExecuteStep = (
  execution: StepExecution,
  attempt: Attempt,
  onFact: OnStepFact | undefined,
) => Promise<TimedValue<StepResult>>;

async function keptFiles(snapshots: StepSnapshots): Promise<{ readonly snapshot?: string }> {
  const snapshot = await snapshots.take();
  return snapshot === null ? {} : { snapshot };
}

/** Adds a change of the main checkout to the step's result. */
function withMainChange(stepped: StepResult, change: FoundChange, onFact: OnStepFact | undefined): StepResult {
  const { guide, ...fact } = change;
  onFact?.({ type: 'main.changed', ...fact });
  return guide !== null && stepped.kind === 'done' ? { ...stepped, mainChanged: guide } : stepped;
}

const stoppedAt = (at: number): TimedValue<StepResult> => ({ value: { kind: 'again', after: 'stop' }, at });

/**
 * Creates the function that executes steps. The intent is safe before the worker starts, and the result is recorded
 * after the worker has ended.
 */
export function createStepExecutor(parts: StepExecutorParts): ExecuteStep {
  const { journal, stepStarts, results, ports, onMainChange, now, onBegin } = parts;

  return async (execution, attempt, onFact) => {
    const { key, signal } = execution;
    const inForce = classInForce(attempt.worker, attempt.memory, attempt.block, attempt.definition);
    const sideEffects = inForce instanceof Promise ? await inForce : inForce;
    // The main checkout is read while the snapshot of the session's worktree is taken.
    const watching = ports.mainGuard?.watch();
    let kept: { readonly snapshot?: string } = {};
    // The snapshot is taken before the intent is written, because the intent refers to it.
    if (sideEffects !== 'none' && ports.snapshots !== undefined) {
      kept = await keptFiles(ports.snapshots);
    }
    const planned = attempt.plan === null || sideEffects === 'none' ? {} : { plan: attempt.plan };
    const intent = { key, attempt: execution.attempt, worker: attempt.name, sideEffects, ...kept, ...planned } as const;
    if (signal.aborted) return stoppedAt(now());
    journal.append({ type: 'intent', ...intent, at: now() });
    stepStarts.add(execution);
    await journal.safe();
    const changed = watching === undefined ? null : await watching;
    // The step was stopped meanwhile, so its worker need not start.
    if (signal.aborted) {
      stepStarts.keepNotStarted(execution);
      return stoppedAt(now());
    }
    stepStarts.began(execution);
    onBegin(key);
    const stepped = await executeAttempt(attempt, signal);
    const change = changed === null ? null : await changed(onMainChange);
    return results.deliver(execution, change === null ? stepped : withMainChange(stepped, change, onFact));
  };
}
