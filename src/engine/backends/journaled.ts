import {
  createCompletions,
  createLogs,
  executionId,
  frameOf,
  type Journal,
  localKey,
  type RecoveredState,
  type Replay,
  roleOf,
} from '#actors/journal/index.ts';
import { readWorktree } from '#machines/session/read-worktree.ts';
import type { BlockId, RunId, StepKey } from '#protocol/id.ts';
import type { FileCalls } from '#protocol/file-calls.ts';
import type { LocalKey } from '#protocol/journal.ts';
import type { TimedValue, RunContext, StepResult, StepSpec } from '#protocol/run.ts';
import { afterSync } from './after-sync.ts';
import { createStepExecutor } from './execute-step.ts';
import { blockOf, createInterruptedSteps } from './settle-interrupted.ts';
import { keepHalts } from './keep-halts.ts';
import { nobody, refusal, type StepParts, stepPreparer } from './prepare-step.ts';
import { createRunRecord } from './run-record.ts';
import { createStepResults } from './step-results.ts';
import type { StepExecution } from './step-starts.ts';

interface JournaledParts extends Omit<StepParts, 'logs' | 'completionOf'> {
  readonly runId: RunId;
  readonly journal: Journal;
  readonly replay: Replay;
  readonly recovered: RecoveredState;
  readonly turns: RunContext['turn'];
  readonly calls: FileCalls;
  /** The absolute path of `.flow`. */
  readonly folder: string;
  /** Counts an execution from the journal as a used answer of its script. */
  readonly countScripted: (role: 'block' | 'repair', worker: string, block: BlockId, frame: string) => void;
}

/** Returns whether the worker's `execute` ran, which uses an answer of its script. */
const wasExecuted = (stepped: StepResult): boolean =>
  stepped.kind === 'done' && (stepped.outcome.ok || stepped.outcome.started);

/**
 * Creates a context that executes steps and records the results in a journal. Recorded results are not executed again.
 */
export function createJournaledContext(parts: JournaledParts): RunContext {
  const { runId, journal, replay, recovered, ports, turns, calls, folder } = parts;
  const { now } = ports.clock;
  const local = (key: StepKey): LocalKey => localKey(runId, key);
  const record = createRunRecord({ journal, replay, recovered, now });
  const blobs = { calls, folder, newId: ports.newId };
  const completions = createCompletions(parts, runId);
  const results = createStepResults({ journal, replay, blobs, completions, turns, now });
  const completionOf = (key: StepKey, attempt: number) => completions.of(local(key), attempt);
  const prepare = stepPreparer({ ...parts, logs: createLogs(blobs), completionOf });
  const plans = new Map(recovered.plans);
  const settle = createInterruptedSteps({
    crashes: recovered.crashes,
    results,
    snapshots: ports.snapshots,
    prepare: (key, spec) => prepare(spec, () => undefined, undefined, plans.get(key)),
  });
  const execute = createStepExecutor({
    journal,
    stepStarts: record.stepStarts,
    results,
    ports,
    onMainChange: readWorktree(parts.graph.worktree).guard,
    now,
    // The recorded change plan applies only to this execution. A later execution uses the current plan.
    onBegin: (key) => void plans.delete(key),
  });
  const unexecuted = async (execution: StepExecution, spec: StepSpec): Promise<TimedValue<StepResult>> =>
    results.deliver(execution, { kind: 'done', outcome: refusal(spec) ?? nobody(spec) });
  /** A new run has no earlier executions to check. */
  const isNew = recovered.inputs.length === 0 && recovered.unfinished.size === 0;

  return {
    runId,
    live: replay.live,
    watchMoving: replay.watchMoving,
    turn: turns,
    spentBefore: recovered.spent,
    remembers: (key, attempt) => !isNew && replay.knows(executionId(local(key), attempt)),
    wasBegun: (key, attempt) => {
      const id = executionId(local(key), attempt);
      return recovered.unfinished.has(id) || recovered.begun.has(id);
    },
    recall: async (key, attempt, signal) => {
      const at = local(key);
      const id = executionId(at, attempt);
      const known = results.resolve(at, await replay.result(id, signal));
      const role = roleOf(at);
      if (role !== 'evidence' && (wasExecuted(known.value) || recovered.takenBack.has(id)))
        parts.countScripted(role, recovered.workers.get(id) ?? '', blockOf(at), frameOf(at));
      return known;
    },
    step: (key, spec, signal, onProgress, onFact) => {
      const at = local(key);
      const execution = { key: at, attempt: spec.attempt, signal };
      const unfinished = isNew ? undefined : recovered.unfinished.get(executionId(at, spec.attempt));
      if (unfinished !== undefined) return settle(execution, spec, unfinished);
      const attempt = refusal(spec) === null ? prepare(spec, onProgress, onFact, plans.get(at)) : null;
      if (attempt !== null) return execute(execution, attempt, onFact);
      return unexecuted(execution, spec);
    },
    ...keepHalts({ journal, replay, recovered, local, now }),
    recallDelay: (key, attempt) => recovered.delays.get(executionId(local(key), attempt)) ?? null,
    keepDelay: (key, attempt, until) => journal.append({ type: 'delay', key: local(key), attempt, until, at: now() }),
    keepPath: record.keepPath,
    keepEnd: record.keepEnd,
    whenSafe: afterSync(journal, record.trouble),
  };
}
