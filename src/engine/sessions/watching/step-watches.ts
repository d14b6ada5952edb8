import type { RunId } from '#protocol/id.ts';
import type { RunPorts } from '#protocol/run.ts';
import type { Session } from '#protocol/session.ts';
import type { MainChange } from '#protocol/step-watch.ts';
import { createMainGuard, mainCheckout } from './main-guard.ts';
import type { OwnMerges } from '../model/branch-moves.ts';
import type { SessionPlaceParts } from '../model/session-place.ts';
import { createStepSnapshots } from './step-snapshots.ts';

/** A run that works for a session. */
export interface SessionRun {
  readonly id: RunId;
  /** The absolute working directory. */
  readonly directory: string;
}

interface StepWatches {
  /** Returns the watches; none if the session has no worktree, or the run works elsewhere. */
  of(session: Session, run: SessionRun, warn: (why: string) => void): Pick<RunPorts, 'snapshots' | 'mainGuard'>;
  /** Returns the changes to the main checkout that a run caused. */
  warning(run: RunId): string | null;
}

const warningOf = ({ text }: MainChange, run: RunId): string => {
  const [first = '', ...rest] = text.split('\n');
  const more = rest.length > 0 ? ` (and ${String(rest.length)} more)` : '';
  return [`the main checkout changed while ${run} worked: ${first}${more}`, ...rest].join('\n');
};

/** Creates the checks before and after each step of a session's run. */
export function createStepWatches({
  git,
  root,
  newId,
  now,
  warn,
  merges,
}: Pick<SessionPlaceParts, 'git' | 'root' | 'newId' | 'now' | 'warn'> & { readonly merges: OwnMerges }): StepWatches {
  const warnings = new Map<RunId, string>();
  let main: Promise<string | null> | null = null;
  return {
    of: ({ worktree }, { id, directory }, warnSession) => {
      if (worktree === null || worktree !== directory) return {};
      const onChange = (change: MainChange): void => {
        const why = warningOf(change, id);
        warnings.set(id, why);
        warnSession(why);
      };
      return {
        snapshots: createStepSnapshots({ git, worktree, run: id, newId, now, warn }),
        mainGuard: createMainGuard({
          git,
          merges,
          onChange,
          warn,
          main: () => (main ??= mainCheckout(git, root)),
        }),
      };
    },
    warning: (run) => warnings.get(run) ?? null,
  };
}
