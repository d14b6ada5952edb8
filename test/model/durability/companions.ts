import type { UnstoredOptions } from '#engine/durable/start-data.ts';
import type { BlockMemory } from '#protocol/worker.ts';
import type { SimulatedDisk } from '../../support/simulated-disk.ts';
import { viewOf } from '../../support/simulate.ts';
import { FOLDER } from './engine-place.ts';
import type { ObservedRun } from './observed-run.ts';
import { ownWorkers } from './own-workers.ts';
import type { SessionParts } from './session-parts.ts';

/** Returns whether the intent of an execution would survive a power loss. */
function isIntentSafe(disk: SimulatedDisk, { system: { run, step, attempt } }: BlockMemory): boolean {
  const line = `"type":"intent","key":${JSON.stringify(step.slice(run.length))},"attempt":${attempt},`;
  if (disk.safeContent(`${FOLDER}/runs/${run}/journal.jsonl`)?.includes(line) === true) return true;
  const shared = disk.safeContent(`${FOLDER}/shared-log.jsonl`)?.toString() ?? '';
  return shared.split('\n').some((one) => one.includes(` ${run} `) && one.includes(line));
}

const workersOf = (observed: ObservedRun, { disk, clock }: SessionParts): NonNullable<UnstoredOptions['workers']> =>
  ownWorkers(observed, {
    onExecute: (memory) => {
      const { step, attempt } = memory.system;
      if (!isIntentSafe(disk, memory)) observed.violations.push(`${step}@${attempt} begins before its intent is safe`);
      observed.executed.push(`${step}@${attempt}`);
    },
    onFound: ({ system: { frame } }) => clock.forget(observed.index, frame),
  });

/** Creates listeners that record what the engine reports. Reports of a dead engine are ignored. */
export function companionsOf(observed: ObservedRun, parts: SessionParts): UnstoredOptions {
  const { reported, memories } = observed;
  const { process } = parts;
  return {
    ...(observed.own ? { workers: workersOf(observed, parts) } : {}),
    onMemory: (memory) => {
      if (!process.isAlive()) return;
      const view = viewOf(memory);
      memories.set(`${view.frame} ${view.block}#${view.visit}@${view.attempt}`, view);
    },
    onEvent: (event) => {
      if (!process.isAlive()) return;
      // A failure to save the run is reported, but it can't be in the journal.
      if (event.type === 'run.finished' && event.response.reason === 'state_not_saved') return;
      reported.events += 1;
      if (event.type === 'transition.taken') reported.path.push(event.entry);
      if (event.type === 'block.halted') reported.halts.add(event.halt_id);
      if (event.type === 'block.answered') reported.answered.add(event.halt_id);
    },
  };
}
