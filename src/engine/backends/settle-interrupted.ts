import type { UnfinishedExecution } from '#actors/journal/index.ts';
import type { Attempt } from '#actors/run/index.ts';
import type { BlockId } from '#protocol/id.ts';
import type { LocalKey } from '#protocol/journal.ts';
import type { TimedValue, StepResult, StepSpec } from '#protocol/run.ts';
import type { StepSnapshots } from '#protocol/step-watch.ts';
import { type InterruptedOutcome, completed, crashedTooOften, unsafe, interruptedUsage } from './interrupted-step.ts';
import type { StepResults } from './step-results.ts';
import type { StepExecution } from './step-starts.ts';

/** The number of crashed executions of one step after which a person decides. */
const MOST_CRASHES = 3;

export const blockOf = (key: LocalKey): BlockId => key.slice(key.lastIndexOf('/') + 1, key.lastIndexOf('#')) as BlockId;

const whoOf = ({ role, worker }: StepSpec, block: BlockId): string =>
  role === 'block'
    ? block
    : role === 'repair'
      ? `${worker}, as a repair of ${block},`
      : `The check of the evidence of ${block}`;

interface InterruptedStepsParts {
  /** The number of executions that a crash cut off, by step. */
  readonly crashes: ReadonlyMap<LocalKey, number>;
  readonly results: Pick<StepResults, 'deliver'>;
  readonly snapshots: Pick<StepSnapshots, 'restore'> | undefined;
  /** Prepares the step again; null if nothing here can execute it. */
  readonly prepare: (key: LocalKey, spec: StepSpec) => Attempt | null;
}

type SettleInterrupted = (
  execution: StepExecution,
  spec: StepSpec,
  unfinished: UnfinishedExecution,
) => Promise<TimedValue<StepResult>>;

/**
 * Creates the handler of steps that a crash interrupted. Each step counts as done, is executed again, or waits for a
 * person.
 */
export function createInterruptedSteps({
  results,
  snapshots,
  prepare,
  ...parts
}: InterruptedStepsParts): SettleInterrupted {
  const crashes = new Map(parts.crashes);

  const afterCutOff = (
    key: LocalKey,
    who: string,
    { sideEffects, after }: UnfinishedExecution,
    isUndone: boolean,
  ): StepResult => {
    if (sideEffects === 'non_idempotent' && !isUndone) return unsafe(who);
    if (after === 'stop') return { kind: 'again', after };
    const count = (crashes.get(key) ?? 0) + 1;
    crashes.set(key, count);
    return count > MOST_CRASHES ? crashedTooOften(who, count) : { kind: 'again', after };
  };

  return async (execution, spec, unfinished) => {
    const { key } = execution;
    const attempt = prepare(key, spec);
    const known: InterruptedOutcome =
      attempt === null ? { kind: 'unknown' } : await completed(attempt, unfinished.sideEffects);
    const who = whoOf(spec, blockOf(key));
    const stepped: StepResult =
      known.kind === 'done'
        ? known
        : {
            ...afterCutOff(key, who, unfinished, known.kind === 'not_done'),
            ...(unfinished.isPaid ? {} : await interruptedUsage(attempt)),
          };
    const isRepeated = stepped.kind === 'again' && stepped.after === 'crash';
    if (isRepeated && unfinished.snapshot !== null) await snapshots?.restore(unfinished.snapshot);
    return results.deliver(execution, stepped, known.kind === 'done');
  };
}
