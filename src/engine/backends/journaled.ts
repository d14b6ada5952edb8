import {
  createCompletions,
  createLogs,
  executionId,
  frameOf,
  inlineOrBlob,
  isBlobRef,
  isSurelySmall,
  type Journal,
  localKey,
  partedFrom,
  readBlob,
  type Recollection,
  type Replay,
  roleOf,
  type Unfinished,
} from '#actors/journal/index.ts';
import { type Attempt, classInForce, executeAttempt } from '#actors/run/index.ts';
import { readWorktree } from '#machines/session/read-worktree.ts';
import { spentBy } from '#machines/run/count-spending.ts';
import type { BlockId, RunId, StepKey } from '#protocol/id.ts';
import type { FileCalls } from '#protocol/file-calls.ts';
import type { BlobRef, JournalEntry, LocalKey } from '#protocol/journal.ts';
import { messageOf } from '#protocol/message-of.ts';
import type { Failure } from '#protocol/response.ts';
import type { Known, OnStepFact, RunContext, Stepped, StepSpec } from '#protocol/run.ts';
import type { StepSnapshots } from '#protocol/step-watch.ts';
import { afterSync } from './after-sync.ts';
import { type Completed, completed, crashedTooOften, unsafe, usedUnheard } from './interrupted-step.ts';
import { createBeginnings } from './step-starts.ts';
import { keepHalts } from './keep-halts.ts';
import { nobody, refusal, type StepParts, stepPreparer } from './prepare-step.ts';

/** The number of crashed executions of one step after which a person decides. */
const MOST_CRASHES = 3;

export interface JournaledParts extends Omit<StepParts, 'logs' | 'completionOf'> {
  readonly runId: RunId;
  readonly journal: Journal;
  readonly replay: Replay;
  readonly recollection: Recollection;
  readonly turns: RunContext['turn'];
  readonly calls: FileCalls;
  /** The absolute path of `.flow`. */
  readonly folder: string;
  /** Counts an execution from the journal as a used answer of its script. */
  readonly countScripted: (role: 'block' | 'repair', worker: string, block: BlockId, frame: string) => void;
}

type Result = Extract<JournalEntry, { type: 'result' }>;

/** Returns whether the worker's `execute` ran, which uses an answer of its script. */
const wasExecuted = (stepped: Stepped): boolean =>
  stepped.kind === 'done' && (stepped.outcome.ok || stepped.outcome.started);

const blockOf = (key: LocalKey): BlockId => key.slice(key.lastIndexOf('/') + 1, key.lastIndexOf('#')) as BlockId;

const whoOf = ({ role, worker }: StepSpec, block: BlockId): string =>
  role === 'block'
    ? block
    : role === 'repair'
      ? `${worker}, as a repair of ${block},`
      : `The check of the evidence of ${block}`;

async function keptFiles(snapshots: StepSnapshots): Promise<{ readonly snapshot?: string }> {
  const snapshot = await snapshots.take();
  return snapshot === null ? {} : { snapshot };
}

const stoppedAt = (at: number): Known<Stepped> => ({ value: { kind: 'again', after: 'stop' }, at });

/**
 * Creates a context that executes steps and records the results in a journal. Recorded results are not executed again.
 */
export function createJournaledContext(parts: JournaledParts): RunContext {
  const { runId, journal, replay, recollection, ports, turns } = parts;
  const { now } = ports.clock;
  const { guard } = readWorktree(parts.graph.worktree);
  const blobs = { calls: parts.calls, folder: parts.folder, newId: ports.newId };
  const completions = createCompletions(parts, runId);
  const completionOf = (key: StepKey, attempt: number) => completions.of(local(key), attempt);
  const prepare = stepPreparer({ ...parts, logs: createLogs(blobs), completionOf });
  const crashes = new Map(recollection.crashes);
  const plans = new Map(recollection.plans);
  /** A new run has no earlier executions to check. */
  const isNew = recollection.told.length === 0 && recollection.unfinished.size === 0;
  /** True once the run has ended: later events are dropped. */
  let isOver = false;
  const beginnings = createBeginnings(({ key, attempt }) => {
    if (!isOver) journal.append({ type: 'unbegun', key, attempt, at: now() });
  });

  const trouble = (): Failure | null => {
    const difference = isOver ? null : replay.difference();
    const found = difference === null ? journal.trouble() : partedFrom(difference, recollection.engine);
    if (found === null) return null;
    const reason = found.code === 'corrupt_state' ? 'corrupt_state' : 'state_not_saved';
    return { reason, details: { message: found.message, ...found.data }, errorType: null };
  };

  const local = (key: StepKey): LocalKey => localKey(runId, key);

  const inOrBeside = (result: Result, own: Stepped): Result => {
    try {
      const stepped = inlineOrBlob<Stepped>(blobs, own);
      const spent = isBlobRef(stepped) ? spentBy(own) : null;
      return { ...result, stepped, ...(spent === null ? {} : { spent }) };
    } catch (thrown) {
      throw journal.giveUp(result, thrown);
    }
  };

  /** Records the usage of an abandoned execution. */
  const keepSpent = (key: LocalKey, attempt: number, stepped: Stepped): void => {
    const spent = spentBy(stepped);
    if (spent !== null) journal.append({ type: 'spent', execution: executionId(key, attempt), spent, at: now() });
  };

  /** Records a result in the journal before anything that follows from it. */
  const tell = (
    key: LocalKey,
    attempt: number,
    stepped: Stepped,
    signal: AbortSignal,
    found: boolean,
  ): Known<Stepped> => {
    const at = now();
    // Nothing awaits it any more, and in a replay nothing would either.
    if (signal.aborted) keepSpent(key, attempt, stepped);
    else {
      const result: Result = { type: 'result', key, attempt, stepped, ...(found ? { found } : {}), at };
      journal.append(isSurelySmall(stepped) ? result : inOrBeside(result, stepped));
      // Called if the result could not be stored. The rejection must be handled here, since an unhandled one ends the
      // process.
      completions.forget(key, attempt, () => journal.safe());
    }
    return { value: stepped, at };
  };

  /** Delivers the result to the machine in the frame's turn. */
  const deliver = (...told: Parameters<typeof tell>): Promise<Known<Stepped>> | Known<Stepped> => {
    const turn = turns(frameOf(told[0]));
    return turn === null ? tell(...told) : turn.then(() => tell(...told));
  };

  const unexecuted = async (key: LocalKey, spec: StepSpec, signal: AbortSignal): Promise<Known<Stepped>> =>
    deliver(key, spec.attempt, { kind: 'done', outcome: refusal(spec) ?? nobody(spec) }, signal, false);

  const afterCutOff = (key: LocalKey, who: string, { sideEffects, after }: Unfinished, isUndone: boolean): Stepped => {
    if (sideEffects === 'non_idempotent' && !isUndone) return unsafe(who);
    if (after === 'stop') return { kind: 'again', after };
    const count = (crashes.get(key) ?? 0) + 1;
    crashes.set(key, count);
    return count > MOST_CRASHES ? crashedTooOften(who, count) : { kind: 'again', after };
  };

  const settleUnfinished = async (key: LocalKey, spec: StepSpec, unfinished: Unfinished, signal: AbortSignal) => {
    const attempt = prepare(spec, () => undefined, undefined, plans.get(key));
    const known: Completed = attempt === null ? { kind: 'unknown' } : await completed(attempt, unfinished.sideEffects);
    const who = whoOf(spec, blockOf(key));
    const stepped: Stepped =
      known.kind === 'done'
        ? known
        : {
            ...afterCutOff(key, who, unfinished, known.kind === 'not_done'),
            ...(unfinished.isPaid ? {} : await usedUnheard(attempt)),
          };
    const isRepeated = stepped.kind === 'again' && stepped.after === 'crash';
    if (isRepeated && unfinished.snapshot !== null) await ports.snapshots?.restore(unfinished.snapshot);
    return deliver(key, spec.attempt, stepped, signal, known.kind === 'done');
  };

  const execute = async (
    key: LocalKey,
    spec: StepSpec,
    attempt: Attempt,
    signal: AbortSignal,
    onFact: OnStepFact | undefined,
  ): Promise<Known<Stepped>> => {
    const inForce = classInForce(attempt.worker, spec.memory, attempt.block, attempt.definition);
    const sideEffects = inForce instanceof Promise ? await inForce : inForce;
    let kept: { readonly snapshot?: string } = {};
    // With snapshots, the intent must be safe first; without them, it is synced together with earlier lines.
    if (sideEffects !== 'none' && ports.snapshots !== undefined) {
      kept = await keptFiles(ports.snapshots);
    }
    const planned = attempt.plan === null || sideEffects === 'none' ? {} : { plan: attempt.plan };
    const intent = { key, attempt: spec.attempt, worker: spec.worker, sideEffects, ...kept, ...planned } as const;
    if (signal.aborted) return stoppedAt(now());
    journal.append({ type: 'intent', ...intent, at: now() });
    const begins = { key, attempt: spec.attempt, signal };
    beginnings.add(begins);
    await journal.safe();
    const changed = ports.mainGuard === undefined ? null : await ports.mainGuard.watch();
    // The step was stopped meanwhile, so its worker need not start.
    if (signal.aborted) {
      beginnings.keepUnbegun(begins);
      return stoppedAt(now());
    }
    beginnings.began(begins);
    // The next step decides about its plan anew.
    plans.delete(key);
    const stepped = await executeAttempt(attempt, signal);
    const change = changed === null ? null : await changed(guard);
    if (change === null) return deliver(key, spec.attempt, stepped, signal, false);
    const { guide, ...fact } = change;
    onFact?.({ type: 'main.changed', ...fact });
    const halts = guide !== null && stepped.kind === 'done';
    return deliver(key, spec.attempt, halts ? { ...stepped, mainChanged: guide } : stepped, signal, false);
  };

  const resolved = (key: LocalKey, { value, at }: Known<Stepped | BlobRef>): Known<Stepped> => {
    if (!isBlobRef(value)) return { value, at };
    try {
      return { value: JSON.parse(readBlob(blobs, value)) as Stepped, at };
    } catch (thrown) {
      replay.part({ recorded: `result of ${key}`, now: messageOf(thrown) });
      throw thrown;
    }
  };

  return {
    runId,
    live: replay.live,
    watchMoving: replay.watchMoving,
    turn: turns,
    spentBefore: recollection.spent,
    remembers: (key, attempt) => !isNew && replay.knows(executionId(local(key), attempt)),
    wasBegun: (key, attempt) => {
      const id = executionId(local(key), attempt);
      return recollection.unfinished.has(id) || recollection.begun.has(id);
    },
    recall: async (key, attempt, signal) => {
      const at = local(key);
      const id = executionId(at, attempt);
      const known = resolved(at, await replay.result(id, signal));
      const role = roleOf(at);
      if (role !== 'evidence' && (wasExecuted(known.value) || recollection.takenBack.has(id)))
        parts.countScripted(role, recollection.workers.get(id) ?? '', blockOf(at), frameOf(at));
      return known;
    },
    step: (key, spec, signal, onProgress, onFact) => {
      const at = local(key);
      const unfinished = isNew ? undefined : recollection.unfinished.get(executionId(at, spec.attempt));
      if (unfinished !== undefined) return settleUnfinished(at, spec, unfinished, signal);
      const attempt = refusal(spec) === null ? prepare(spec, onProgress, onFact, plans.get(at)) : null;
      if (attempt !== null) return execute(at, spec, attempt, signal, onFact);
      return unexecuted(at, spec, signal);
    },
    ...keepHalts({ journal, replay, recollection, local, now }),
    keepPath: (entry) => {
      beginnings.keepStopped();
      if (!replay.confirm(entry)) journal.append({ type: 'path', entry });
    },
    keepEnd: ({ outcome, failure }) => {
      // A run that could not be replayed or written keeps its stored state.
      if (replay.difference() !== null || journal.trouble() !== null) return;
      beginnings.keepStopped();
      isOver = true;
      const at = now();
      if (outcome === 'interrupted' || outcome === 'paused') journal.append({ type: 'stop', how: outcome, at });
      else
        journal.append({ type: 'end', outcome, reason: failure?.reason ?? null, details: failure?.details ?? {}, at });
    },
    whenSafe: afterSync(journal, trouble),
  };
}
