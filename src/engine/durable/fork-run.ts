import { createFork, entriesBefore, type Place, readRun } from '#actors/journal/index.ts';
import { RoboSmithError } from '#protocol/error.ts';
import type { RunId, SessionId } from '#protocol/id.ts';
import type { StepOfRun } from '#protocol/session-api.ts';

export const noSuchStep = ({ run, step }: StepOfRun): RoboSmithError =>
  new RoboSmithError('usage', `${run} has no step ${step}.`, { next: [`robosmith runs show ${run}`] });

interface ForkParts {
  readonly now: () => number;
  /** Returns this many random bytes as hexadecimal. */
  readonly newId: (bytes: number) => string;
}

/**
 * Creates a run that starts from the state before a step of another run; null if there is no such step. `into`: the
 * session that the new run works for.
 */
export function forkRun(
  place: Place,
  id: RunId,
  step: number,
  { now, newId }: ForkParts,
  into: { readonly session: SessionId; readonly directory: string } | null = null,
): RunId | null {
  const reading = readRun(place, id);
  if (reading.kind === 'missing') throw new RoboSmithError('usage', `there is no run ${id}`, {});
  const entries = reading.kind === 'damaged' ? reading.before : reading.run.entries;
  const [header] = entries;
  const kept = entriesBefore(entries, step);
  if (header?.type !== 'run' || kept === null) return null;
  const run = `r${newId(6)}` as RunId;
  const { started, directory } = header;
  const whereabouts =
    into === null
      ? { started, directory }
      : { started: { ...started, session: into.session }, directory: into.directory };
  const own = { ...header, ...whereabouts, run, trace: newId(16), at: now(), forkedFrom: { run: id, step } };
  createFork(place, own, kept, newId(6));
  return run;
}
