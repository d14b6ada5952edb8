import { evidenceFinder } from '#engine/run/find-evidence.ts';
import { workerFinder } from '#engine/run/find-worker.ts';
import { checkResult } from '#machines/run/check-result.ts';
import type { Clock } from '#protocol/clock.ts';
import type { Graph, GraphBlock } from '#protocol/graph.ts';
import type { JournalEntry } from '#protocol/journal.ts';
import type { FindEvidence } from '#protocol/run.ts';
import type { Script } from '#protocol/script.ts';
import type { Services } from '#protocol/services.ts';
import type { BlockMemory, Worker, WorkerResult } from '#protocol/worker.ts';
import { begunBefore, countsOf } from './begun-before.ts';
import { addEffect, type Effect, readEffects } from './effects.ts';
import { type Conduct, isChecked, isOnce } from './job.ts';
import type { KillSwitch } from './kill-switch.ts';

export interface ObservedParts {
  readonly root: string;
  readonly task: number;
  readonly graph: Graph;
  readonly script: Script;
  /** The journal of the run as the previous process left it. */
  readonly entries: readonly JournalEntry[];
  readonly conduct: Conduct;
  readonly reach: KillSwitch['reach'];
  readonly clock: Clock;
}

const isRepair = ({ system }: BlockMemory): boolean => system.step.includes('!repair');

/** Returns the key of an execution as in the journal, without the run's id. */
const executionOf = ({ system: { step, run, attempt } }: BlockMemory): Pick<Effect, 'key' | 'attempt'> => ({
  key: step.slice(run.length),
  attempt,
});

/**
 * Returns a clock on which work that began before a crash ends at its original time, so the crash takes no virtual
 * time.
 */
const goingOn = (clock: Clock, begun: number | undefined): Clock => ({
  ...clock,
  sleep: (ms, signal, order) =>
    clock.sleep(begun === undefined ? ms : Math.max(0, begun + ms - clock.now()), signal, order),
});

const atOnce = (clock: Clock): Clock => ({
  ...clock,
  sleep: (_, signal, order) => clock.sleep(0, signal, order),
});

const repairersOf = ({ recovery }: GraphBlock): readonly string[] =>
  Object.values(recovery)
    .flat()
    .flatMap((policy) => (policy.policy === 'repair' ? [policy.worker] : []));

/** Workers and an evidence check whose answers come from the script. */
export interface Observed {
  readonly workers: ReadonlyMap<string, Worker>;
  readonly evidence: FindEvidence;
}

const namesOf = ({ nodes, workers }: Graph): ReadonlySet<string> =>
  new Set([
    ...workers.map(({ name }) => name),
    ...nodes.flatMap(({ blocks }) => blocks.map(({ worker }) => worker)),
    ...nodes.flatMap(({ blocks }) => blocks.flatMap(repairersOf)),
  ]);

/**
 * Creates workers that answer from the script, as in `simulate`, and append an effect for each execution that begins
 * and ends.
 */
export function observedWorkers({
  root,
  task,
  graph,
  script,
  entries,
  conduct,
  reach,
  clock,
}: ObservedParts): Observed {
  const counts = countsOf(entries);
  const find = workerFinder(graph, { script }, 'all', counts);
  const findEvidence = evidenceFinder({ script }, 'all', counts);
  const begun = begunBefore(entries);

  const leaveEffect = (memory: BlockMemory, as: Effect['as']): void => {
    const point = as === 'begun' ? 'worker' : 'effect';
    reach(`${point}, before`);
    addEffect(root, { task, ...executionOf(memory), as });
    reach(`${point}, after`);
  };

  const observed = (name: string): Worker => {
    const scripted = (memory: BlockMemory): Worker => {
      const worker = find(name, isRepair(memory) ? null : memory.system.block);
      if (worker === null) throw new Error(`nobody is called ${name}`);
      return worker;
    };
    const execute = async (memory: BlockMemory, services: Services, signal: AbortSignal): Promise<WorkerResult> => {
      leaveEffect(memory, 'begun');
      const going = goingOn(clock, begun.get(executionOf(memory).key));
      try {
        const result = await scripted(memory).execute(memory, { ...services, clock: going }, signal);
        if (!signal.aborted) leaveEffect(memory, checkResult(result).ok ? 'done' : 'failed');
        return result;
      } catch (thrown) {
        if (!signal.aborted) leaveEffect(memory, 'failed');
        throw thrown;
      }
    };
    const checkCompletion = async (memory: BlockMemory, services: Services): Promise<WorkerResult | null> => {
      const { key, attempt } = executionOf(memory);
      const isDone = readEffects(root).some(
        (one) => one.task === task && one.key === key && one.attempt === attempt && one.as === 'done',
      );
      if (!isDone) return null;
      reach('completion found');
      return scripted(memory).execute(memory, { ...services, clock: atOnce(clock) }, new AbortController().signal);
    };
    return {
      sideEffects: 'idempotent',
      sideEffectsOf: (memory) =>
        isOnce(conduct) ? 'non_idempotent' : (scripted(memory).sideEffectsOf?.(memory) ?? null),
      execute,
      ...(isChecked(conduct) ? { checkCompletion } : {}),
    };
  };

  const evidence: FindEvidence = (block, piece) => {
    const scripted = findEvidence(block, piece);
    return {
      ...scripted,
      execute: async (memory, services, signal) => {
        leaveEffect(memory, 'begun');
        const result = await scripted.execute(memory, services, signal);
        if (!signal.aborted) leaveEffect(memory, 'done');
        return result;
      },
    };
  };

  return { workers: new Map(Array.from(namesOf(graph), (name) => [name, observed(name)] as const)), evidence };
}
