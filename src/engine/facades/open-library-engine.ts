import type { CompiledWorkflow } from '#protocol/compiled.ts';
import { RoboSmithError } from '#protocol/error.ts';
import type { RunId } from '#protocol/id.ts';
import { wallClock } from '#io/clock/clock.ts';
import { isFolder } from '#io/files/stat-files.ts';
import type { KeptRun } from '../durable/begin-run.ts';
import type { Engine, OpenedEngine, OpenEngineOptions } from '../open/engine.ts';
import { openEngine } from '../open/open-engine.ts';
import { checkObject, checkText } from './check-arguments.ts';
import {
  unstoredOptionsOf,
  type LibraryResumeOptions,
  type LibraryRunOptions,
  runOptionsOf,
} from './library-options.ts';

/** The engine of one project, owned by this process until it is closed. */
export interface LibraryEngine extends Omit<Engine, 'start' | 'resume' | 'close'> {
  /**
   * Starts a run that survives this process. `directory` is the absolute folder that it works in; by default the
   * project's root. Throws `usage` for options of the wrong kind, and the system's error if the run can't be stored.
   */
  start(workflow: CompiledWorkflow, options: LibraryRunOptions, directory?: string): KeptRun;
  /**
   * Continues a run after a crash, a stop or a halt. Own workers and conditions are given again. Throws `corrupt_state`
   * if its journal can't be used, `wrong_state` while this engine is executing it.
   */
  resume(run: RunId, options?: LibraryResumeOptions, directory?: string): KeptRun;
  /**
   * Interrupts the runs of this engine, which can be resumed, and closes the engine once they have stopped. A worker that
   * ignores its abort signal keeps the engine's lock.
   */
  close(): Promise<void>;
}

/**
 * The engine, or the process that owns it. `other_host`: the owner is on another machine, so it is unknown whether it
 * is alive.
 */
export type OpenedLibraryEngine =
  { readonly ok: true; readonly engine: LibraryEngine } | Exclude<OpenedEngine, { readonly ok: true }>;

/** The time in milliseconds that interrupted runs have to stop. */
const LONGEST_STOP_MS = 10_000;

/** The runs that a library engine executes or holds. */
function createActiveRuns() {
  const active = new Map<RunId, { readonly run: KeptRun; settling: Promise<unknown> | null }>();
  const stop = async ({ run, settling }: { readonly run: KeptRun; settling: Promise<unknown> | null }) => {
    if (run.summary().status === 'halted' && settling === null) return run.release();
    run.interrupt();
    await (settling ?? run.settled());
  };
  return {
    isEmpty: (): boolean => active.size === 0,
    follow: (run: KeptRun): KeptRun => {
      const one: Parameters<typeof stop>[0] = { run, settling: null };
      active.set(run.id, one);
      return {
        ...run,
        settled: async () => {
          const settling = run.settled();
          one.settling = settling;
          const response = await settling;
          one.settling = null;
          if (response.reason !== 'halted') active.delete(run.id);
          return response;
        },
        release: () => {
          active.delete(run.id);
          run.release();
        },
      };
    },
    end: async (): Promise<void> => {
      const over = new AbortController();
      const late = wallClock.sleep(LONGEST_STOP_MS, over.signal, '');
      await Promise.race([Promise.allSettled([...active.values()].map(stop)), late]);
      over.abort();
    },
  };
}

const SILENT: OpenEngineOptions = { warn: () => undefined };

/**
 * Takes over the engine of the project at `root`. `ok` is false if another process owns it. The root must exist: nothing
 * is created there but `.flow`, where runs are stored. Throws `usage` or `io` for a wrong root, `unsafe_path` if
 * `.flow` leads out of the project, `corrupt_state` if what an earlier engine left can't be read.
 */
export function openLibraryEngine(root: string, options: Partial<OpenEngineOptions> = SILENT): OpenedLibraryEngine {
  checkText('root', root);
  if (!isFolder(root))
    throw new RoboSmithError('io', `There is no folder ${root}. Create it, or open the engine in a project.`, {
      path: root,
    });
  const opened = openEngine(root, { ...SILENT, ...options });
  if (!opened.ok) return opened;
  const { engine } = opened;
  const active = createActiveRuns();
  return {
    ok: true,
    engine: {
      ...engine,
      close: async () => {
        if (!active.isEmpty()) await active.end();
        engine.close();
      },
      start: (workflow, run, directory = root) => {
        checkObject('workflow', workflow, 'a compiled workflow');
        checkObject('options', run);
        return active.follow(engine.start(workflow, runOptionsOf(run), directory));
      },
      resume: (run, choices = {}, directory = root) =>
        active.follow(engine.resume(run, directory, unstoredOptionsOf(choices))),
    },
  };
}
