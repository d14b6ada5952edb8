import { isRunId } from '#actors/journal/index.ts';
import type { ControlAnswer, ControlRequest } from '#protocol/control.ts';
import type { RunId } from '#protocol/id.ts';
import type { JsonObject } from '#protocol/json.ts';
import type { KeptRun } from '../durable/begin-run.ts';

interface ControlParts {
  /** Active runs. */
  readonly runs: ReadonlyMap<RunId, KeptRun>;
  /** Cancels a run that is not active. */
  readonly cancel: (run: RunId) => Promise<void>;
  /** Edits the work plan, now or when the current task ends. */
  readonly plan: (edit: JsonObject) => Promise<ControlAnswer>;
  /** Returns whether a process may belong to a step of a run. */
  readonly isOfStep: (pid: number) => boolean;
}

/**
 * Handles requests from outside: stop, pause, cancel, and edits of the work plan. A run that is not active can be
 * cancelled as well.
 */
export const controlOf =
  ({ runs, cancel, plan, isOfStep }: ControlParts) =>
  async (request: ControlRequest): Promise<ControlAnswer> => {
    if (request.verb === 'plan')
      return isOfStep(request.pid)
        ? { accepted: false, message: "a process that a run has started can't edit the work plan" }
        : plan(request.edit);
    const { run: id, verb } = request;
    const run = runs.get(id);
    if (run === undefined && verb === 'cancel' && isRunId(id)) {
      await cancel(id);
      return { accepted: true, message: `${id} is cancelled` };
    }
    if (run === undefined) return { accepted: false, message: `${id} is not running in this engine` };
    if (verb === 'stop') run.interrupt();
    else if (verb === 'pause') run.pause();
    else run.cancel();
    return { accepted: true, message: verb === 'pause' ? 'pauses after the current step' : `${verb} was requested` };
  };
