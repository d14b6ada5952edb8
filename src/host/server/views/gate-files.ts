import { sessionFiles, storedSessionOf } from '#engine/index.ts';
import type { ChangedFile } from '#protocol/generated/view.gen.ts';
import type { RunId } from '#protocol/id.ts';
import { messageOf } from '#protocol/message-of.ts';
import type { LiveRun } from './live-runs.ts';

/** The files that a session has changed, for the approval of a gate. */
export interface GateFiles {
  /** Returns the changed files of the run's session; empty until git has answered. Then `onReady` is called. */
  of(live: LiveRun): readonly ChangedFile[];
}

interface StepFiles {
  readonly step: number;
  readonly files: readonly ChangedFile[];
}

export function createGateFiles(
  root: string,
  onReady: (run: RunId) => void,
  log: (message: string) => void,
): GateFiles {
  const known = new Map<RunId, StepFiles>();
  const asked = new Map<RunId, number>();

  const ask = async (run: RunId, step: number): Promise<void> => {
    const session = storedSessionOf(root, run);
    if (session === null) return;
    known.set(run, { step, files: await sessionFiles(session, root) });
    onReady(run);
  };
  return {
    of: ({ run, picture }) => {
      const { steps: step } = picture.run;
      const found = known.get(run);
      if (found?.step === step) return found.files;
      if (asked.get(run) !== step) {
        asked.set(run, step);
        ask(run, step).catch((thrown: unknown) => log(`the files of ${run} can't be shown: ${messageOf(thrown)}`));
      }
      return found?.files ?? [];
    },
  };
}
