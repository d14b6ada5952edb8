import { RoboSmithError } from '#protocol/error.ts';
import type { Call, Verdict } from '../../support/simulated-disk.ts';
import { seededRandom } from '../../support/seeded-random.ts';
import { checkRun } from './check-run.ts';
import { placeOf } from './engine-place.ts';
import { lookAt } from './live-through.ts';
import { live, prepare, type Scene, type Session, type Setting } from './scene.ts';

export const FAULTS = ['ENOSPC', 'EACCES', 'EIO', 'EMFILE', 'EROFS', 'short', 'short and ENOSPC'] as const;
export type Fault = (typeof FAULTS)[number];

/** The effect of a failed file call on the engine. */
export type Effect =
  /** No visible effect: the call was repeated, or the file is only a cache. */
  | 'none'
  | 'warned'
  /** The engine could not be opened, or the run could not be started. */
  | 'refused'
  /** A run ended with `state_not_saved`. */
  | 'not_saved'
  /** A run could not read its recorded data. */
  | 'not_read';

/**
 * Returns a function that decides about each file call, for one fault. A `short` write transfers half of its bytes; the
 * fault determines what happens to the rest.
 */
function decideBy(fault: Fault, at: number): (call: Call) => Verdict {
  let wrote = false;
  return ({ index, name }) => {
    if (index < at || index > at + 1) return { kind: 'go' };
    if (!fault.startsWith('short')) return index === at ? { kind: 'fail', code: fault } : { kind: 'go' };
    if (index === at && name === 'write') {
      wrote = true;
      return { kind: 'short' };
    }
    return index > at && wrote && name === 'write' && fault !== 'short'
      ? { kind: 'fail', code: 'ENOSPC' }
      : { kind: 'go' };
  };
}

const isExpected = (thrown: unknown, fault: Fault): boolean =>
  RoboSmithError.is(thrown, 'state_not_saved') ||
  (thrown instanceof Error && 'code' in thrown && fault.endsWith(String(thrown.code)));

function effectOf(scene: Scene, { result, warnings, refusals }: Session, fault: Fault): Effect {
  const strange = refusals.find((thrown) => !isExpected(thrown, fault));
  if (strange !== undefined) throw new Error('it threw', { cause: strange });
  if (result === 'died' || result === 'stopped') throw new RangeError(`the engine ${result}`);
  if (refusals.length > 0) return 'refused';
  const reasons = scene.runs.map(({ response }) => response?.reason);
  if (reasons.includes('state_not_saved')) return 'not_saved';
  if (reasons.includes('corrupt_state')) return 'not_read';
  return warnings.length > 0 ? 'warned' : 'none';
}

/** Returns the number of file calls that can fail in a setting. */
export async function callsOf(setting: Setting): Promise<number> {
  const scene = await prepare(setting);
  return (await live(scene, () => ({ kind: 'go' }))).calls;
}

export interface Outcome {
  readonly effect: Effect;
  /** The call that failed. */
  readonly call: Call;
}

/**
 * Makes one call fail and then opens the same disk again without a fault, with or without a power loss in between. All
 * runs must have the same outcome as without the fault.
 */
export async function failOnce(setting: Setting, fault: Fault, at: number, afterPowerLoss: boolean): Promise<Outcome> {
  const scene = await prepare(setting);
  const { runs, disk } = scene;
  let call: Call | null = null;
  const decide = decideBy(fault, at);
  const first = await live(scene, (made) => {
    if (made.index === at) call = made;
    return decide(made);
  });
  if (call === null) throw new RangeError(`there is no call ${at}`);
  const effect = effectOf(scene, first, fault);
  if (afterPowerLoss) disk.losePower(seededRandom(at));
  lookAt(runs, placeOf(disk));
  const { refusals, result } = await live(scene, () => ({ kind: 'go' }));
  if (refusals.length > 0) throw new Error('refused', { cause: refusals[0] });
  if (result !== 'over') throw new RangeError(`the engine ${result}`);
  // Before the power loss, data that a failed sync did not write can still be read from memory.
  disk.losePower(seededRandom(at + 1));
  lookAt(runs, placeOf(disk));
  for (const run of runs) await checkRun(run, { disk, died: true });
  return { effect, call };
}
