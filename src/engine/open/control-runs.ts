import { isRunId } from '#actors/journal/index.ts';
import type { ControlAnswer, ControlRequest } from '#protocol/control.ts';
import type { RunId } from '#protocol/id.ts';
import type { KeptRun } from '../durable/begin-run.ts';

export interface ControlParts {
  /** Active runs. */
  readonly runs: ReadonlyMap<RunId, KeptRun>;
  /** Cancels a run that is not active. */
  readonly cancel: (run: RunId) => Promise<void>;
}

/** Handles requests from outside: stop, pause and cancel. A run that is not active can be cancelled as well. */
export const controlOf =
  ({ runs, cancel }: ControlParts) =>
  async ({ run: id, verb }: ControlRequest): Promise<ControlAnswer> => {
    const run = runs.get(id);
    if (run === undefined && verb === 'cancel' && isRunId(id)) {
      await cancel(id);
      return { accepted: true, message: `${id} is cancelled` };
    }
    if (run === undefined) return { accepted: false, message: `${id} is not under way here` };
    if (verb === 'stop') run.interrupt();
    else if (verb === 'pause') run.pause();
    else run.cancel();
    return { accepted: true, message: verb === 'pause' ? 'pauses after the step under way' : `${verb} is on its way` };
  };
