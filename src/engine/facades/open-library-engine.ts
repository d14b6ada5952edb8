import type { CompiledWorkflow } from '#protocol/compiled.ts';
import { RoboSmithError } from '#protocol/error.ts';
import type { RunId } from '#protocol/id.ts';
import { isFolder } from '#io/files/is-folder.ts';
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
export interface LibraryEngine extends Omit<Engine, 'start' | 'resume'> {
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
}

/**
 * The engine, or the process that owns it. `other_host`: the owner is on another machine, so it is unknown whether it
 * is alive.
 */
export type OpenedLibraryEngine =
  { readonly ok: true; readonly engine: LibraryEngine } | Exclude<OpenedEngine, { readonly ok: true }>;

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
  return {
    ok: true,
    engine: {
      ...engine,
      start: (workflow, run, directory = root) => {
        checkObject('workflow', workflow, 'a compiled workflow');
        checkObject('options', run);
        return engine.start(workflow, runOptionsOf(run), directory);
      },
      resume: (run, choices = {}, directory = root) => engine.resume(run, directory, unstoredOptionsOf(choices)),
    },
  };
}
