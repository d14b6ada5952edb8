import { removeIfThere } from '#io/files/durable-file.ts';
import {
  type createCommitter,
  createJournal,
  type Journal,
  journalFile,
  type Place,
  runFolder,
} from '#actors/journal/index.ts';
import type { CompiledWorkflow } from '#protocol/compiled.ts';
import type { RunId } from '#protocol/id.ts';
import { type HeaderEntry, JOURNAL_VERSION } from '#protocol/journal.ts';
import { messageOf } from '#protocol/message-of.ts';
import type { RunOptions, RunPorts } from '#protocol/run.ts';
import type { ScriptReach } from '../run/find-worker.ts';
import type { BeginRun, KeptRun, OnDispatch } from './begin-run.ts';
import type { ManifestStore } from './manifest-store.ts';
import { startNode } from './named-summary.ts';
import { startData } from './start-data.ts';

interface RunStarterParts {
  readonly place: Place;
  readonly committer: ReturnType<typeof createCommitter>;
  readonly manifests: Pick<ManifestStore, 'keep'>;
  readonly beginRun: BeginRun;
  readonly closeJournal: (journal: Journal) => void;
  readonly warn: (message: string) => void;
}

export const newRunId = ({ newId }: Pick<RunPorts, 'newId'>): RunId => `r${newId(6)}` as RunId;

/** Creates the function that starts a new run. */
export function runStarter({ place, committer, manifests, beginRun, closeJournal, warn }: RunStarterParts) {
  const { calls, folder } = place;

  /**
   * Removes the files of a run that has neither started nor been reported. If that fails, the next owner of the engine
   * removes them.
   */
  const removeUnborn = (run: RunId): void => {
    try {
      removeIfThere(calls, journalFile(folder, run));
      calls.removeFolder(runFolder(folder, run));
    } catch (thrown) {
      warn(`run ${run} could not be started, and its files can't be removed: ${messageOf(thrown)}`);
    }
  };

  return (
    workflow: CompiledWorkflow,
    options: RunOptions,
    ports: RunPorts,
    directory: string | null,
    reach: ScriptReach = 'where_it_answers',
    onDispatch: OnDispatch = () => undefined,
    id = newRunId(ports),
  ): KeptRun => {
    const header: HeaderEntry = {
      type: 'run',
      version: JOURNAL_VERSION,
      run: id,
      trace: ports.newId(16),
      at: ports.clock.now(),
      started: startData(options),
      manifest: manifests.keep(workflow.graph, ports),
      directory,
      forkedFrom: null,
    };
    const journal = createJournal(place, committer, header);
    try {
      onDispatch(header.run, startNode(header.started.start, workflow.graph));
    } catch (thrown) {
      closeJournal(journal);
      removeUnborn(id);
      throw thrown;
    }
    return beginRun({ workflow, header, journal, entries: [header], why: 'start' }, options, ports, reach);
  };
}
