import { listRunIds, readRun, type Place } from '#actors/journal/index.ts';
import { createSimulatedDisk, type SimulatedDisk, type Verdict } from '../../support/simulated-disk.ts';
import { seededRandom } from '../../support/seeded-random.ts';
import { checkReported } from './check-reported.ts';
import { createCountedTurns } from '../../support/counted-turns.ts';
import { entriesOf, FOLDER, placeOf } from './engine-place.ts';
import { isOver, type ObservedRun } from './observed-run.ts';
import type { SessionEnd, SessionPlan } from './scenario.ts';
import { liveSession } from './session.ts';
import { openSleeps } from './open-sleeps.ts';
import { type Carried, createSessionClock } from './session-clock.ts';

const decideBy =
  (end: SessionEnd | null) =>
  ({ index }: { readonly index: number }): Verdict =>
    end?.kind === 'crash' && index === end.at ? { kind: 'crash', phase: end.phase } : { kind: 'go' };

/** Finds runs that are stored on the disk although their start failed for the caller. */
function recognise(runs: readonly ObservedRun[], place: Place): void {
  const known = new Set(runs.map(({ id }) => id));
  for (const id of listRunIds(place)) {
    if (known.has(id)) continue;
    const reading = readRun(place, id);
    const [header] = reading.kind === 'read' ? reading.run.entries : [];
    if (header?.type !== 'run') continue;
    const run = runs.find(({ source, id: mine }) => mine === null && source === header.started.source);
    if (run !== undefined) run.id = id;
  }
}

/** Updates the runs from the disk. A run that is not on the disk has not begun. */
export function lookAt(runs: readonly ObservedRun[], place: Place): void {
  recognise(runs, place);
  for (const run of runs) {
    run.entries = run.id === null ? [] : entriesOf(place, run.id);
    checkReported(run, place);
    if (run.entries.length === 0) run.id = null;
  }
}

/** Fails if a run ended because its state is damaged or could not be saved. A crash must not cause either. */
function checkSound(runs: readonly ObservedRun[]): void {
  for (const { response } of runs)
    if (response?.reason === 'corrupt_state' || response?.reason === 'state_not_saved')
      throw new RangeError(JSON.stringify(response.details));
}

export interface Lived {
  readonly disk: SimulatedDisk;
  readonly warnings: readonly string[];
  readonly sessions: number;
  /** True if an engine died, so that its last checkpoints may be missing. */
  readonly died: boolean;
  readonly calls: number;
}

/** Executes all planned sessions, and then a final one that continues until the runs have ended. */
export async function liveThrough(runs: readonly ObservedRun[], sessions: readonly SessionPlan[]): Promise<Lived> {
  const disk = createSimulatedDisk([[`${FOLDER}/flow.registry.json`, Buffer.from('{}')]]);
  const warnings: string[] = [];
  let ids = 0;
  let now = 0;
  let calls = 0;
  let lived = 0;
  let died = false;
  let carried: readonly Carried[] = [];
  const last = { end: null, jump: 0, slow: false };
  for (const { end, jump, slow } of [...sessions, last]) {
    const turns = createCountedTurns();
    const process = disk.start({ decide: decideBy(end), later: turns.nextTurn });
    const clock = createSessionClock(now, jump, carried, openSleeps(runs));
    const newId = (bytes: number): string => (ids += 1).toString(16).padStart(bytes * 2, '0');
    const open = runs.filter((run) => !isOver(run));
    const result = await liveSession(open, end, {
      disk,
      process,
      clock,
      turns,
      newId,
      slow,
      warn: (message) => warnings.push(message),
      onRefused: (thrown) => {
        throw thrown;
      },
    });
    lived += 1;
    calls += process.made();
    now = clock.trueNow();
    if (process.isAlive()) process.kill();
    died ||= result === 'died';
    if (result === 'died' && end !== null && 'power' in end && end.power !== null)
      disk.losePower(seededRandom(end.power));
    lookAt(runs, placeOf(disk));
    checkSound(runs);
    carried = clock.left();
    if (result === 'over') break;
  }
  return { disk, warnings, sessions: lived, died, calls };
}
