import { executeAttempt } from '#actors/run/index.ts';
import type { HaltId, RunId } from '#protocol/id.ts';
import type { RunContext, StepResult } from '#protocol/run.ts';
import { nobody, refusal, stepPreparer, type StepParts } from './prepare-step.ts';

const nothingKnown = (): never => {
  throw new RangeError('nothing is remembered here');
};

/** Creates a context that executes steps without storing them: the run is lost when its process ends. */
export function createInMemoryContext(runId: RunId, parts: Omit<StepParts, 'logs' | 'completionOf'>): RunContext {
  const { clock } = parts.ports;
  const prepare = stepPreparer({ ...parts, logs: null, completionOf: null });
  let halts = 0;
  return {
    runId,
    live: () => null,
    spentBefore: [],
    remembers: () => false,
    wasBegun: () => false,
    recall: nothingKnown,
    step: async (_key, spec, signal, onProgress, onFact) => {
      const refused = refusal(spec);
      const attempt = refused === null ? prepare(spec, onProgress, onFact) : null;
      const value: StepResult =
        attempt === null ? { kind: 'done', outcome: refused ?? nobody(spec) } : await executeAttempt(attempt, signal);
      return { value, at: clock.now() };
    },
    openHalt: () => {
      halts += 1;
      return { value: `h${halts}` as HaltId, at: clock.now() };
    },
    recallAnswer: () => null,
    keepAnswer: () => clock.now(),
    turn: () => null,
    recallDelay: () => null,
    keepDelay: () => undefined,
    keepPath: () => undefined,
    keepEnd: () => undefined,
    whenSafe: (work) => work(null),
  };
}
