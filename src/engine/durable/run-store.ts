import { removeIfThere } from '#io/files/durable-file.ts';
import {
  createCommitter,
  createJournal,
  createSharedLog,
  createStateFiles,
  failedExecution,
  inForceNow,
  type Journal,
  journalFile,
  keepBlob,
  makeFolders,
  openJournal,
  type Place,
  readBlob,
  recoverSharedLog,
  runFolder,
} from '#actors/journal/index.ts';
import { workflowOf } from '#compiler/index.ts';
import type { CompiledWorkflow } from '#protocol/compiled.ts';
import { RoboSmithError } from '#protocol/error.ts';
import type { Graph } from '#protocol/graph.ts';
import type { NodeId, RunId } from '#protocol/id.ts';
import {
  type BlobRef,
  type HeaderEntry,
  JOURNAL_VERSION,
  type JournalEntry,
  type Opening,
  type StartData,
  type StoredManifest,
} from '#protocol/journal.ts';
import { messageOf } from '#protocol/message-of.ts';
import type { RunOptions, RunPorts } from '#protocol/run.ts';
import type { ScriptReach } from '../run/find-worker.ts';
import { type KeptRun, runBeginner } from './begin-run.ts';
import { inForce } from './manifest-in-force.ts';
import { createNamedSummary, startNode } from './named-summary.ts';
import { checkNothingLost, takeOver } from './take-over.ts';
import { type Companions, runOptions, scriptsData, startData } from './start-data.ts';

export interface RunStoreParts {
  readonly place: Place;
  readonly nextTurn: (work: () => void) => void;
  /** See `StateFilesParts`. */
  readonly afterMs?: (ms: number, work: () => void) => void;
  /** Monotonic milliseconds, for the duration of calls. */
  readonly elapsed: () => number;
  readonly warn: (message: string) => void;
  /** The owner's claim to the engine, which marks the runs that it opened. */
  readonly claim?: string;
  /** Returns the number of the last reported event of a run. */
  readonly lastEvent: (run: RunId) => number;
}

const lastOpening = (entries: readonly JournalEntry[]): Opening =>
  entries.findLast(({ type }) => type === 'open' || type === 'stop')?.type === 'stop' ? 'after_stop' : 'after_crash';

export const storedManifest = (place: Place, ref: BlobRef): StoredManifest =>
  JSON.parse(readBlob(place, ref)) as StoredManifest;

/** Stores, starts and resumes the runs of one project, for the process that owns its engine. */
export function createRunStore({ place, nextTurn, afterMs, elapsed, warn, claim, lastEvent }: RunStoreParts) {
  const { calls, folder } = place;
  const shared = createSharedLog(calls, folder);
  const committer = createCommitter({ calls, shared, nextTurn, elapsed });
  let manifests = new WeakMap<Graph, BlobRef>();
  const alive = new Set<Journal>();
  makeFolders(place);
  for (const run of recoverSharedLog(place).damaged)
    warn(`${run} is damaged, or was removed: what the log that runs share had of it does not follow on its journal`);

  /** Closes a journal whose lines are all safe, in its own file or in the shared log. */
  const closeJournal = (journal: Journal): void => {
    try {
      journal.close();
    } catch (thrown) {
      warn(`the journal of ${journal.run} can't be closed (${messageOf(thrown)}); nothing of it is lost`);
    }
  };

  /** Removes a run that has not started and was not reported. What can't be removed is deleted by the next owner. */
  const removeUnborn = (run: RunId): void => {
    try {
      removeIfThere(calls, journalFile(folder, run));
      calls.removeFolder(runFolder(folder, run));
    } catch (thrown) {
      warn(`what was made for ${run} can't be removed (${messageOf(thrown)}); it has not begun`);
    }
  };

  const keepManifest = (graph: Graph, ports: RunPorts): BlobRef => {
    const known = manifests.get(graph);
    if (known !== undefined) return known;
    const stored: StoredManifest = { version: JOURNAL_VERSION, graph };
    const ref = keepBlob({ calls, folder, newId: ports.newId }, JSON.stringify(stored));
    manifests.set(graph, ref);
    return ref;
  };

  const beginRun = runBeginner({
    place,
    nextTurn,
    afterMs,
    warn,
    claim,
    lastEvent,
    onOpen: (journal) => alive.add(journal),
    close: (journal) => {
      if (alive.delete(journal)) closeJournal(journal);
    },
  });

  return {
    /** Starts a new run. */
    start: (
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
        manifest: keepManifest(workflow.graph, ports),
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
    },
    /** Resumes a run; throws `corrupt_state` if it can't be read. */
    resume: (
      id: RunId,
      companions: Companions,
      ports: RunPorts,
      {
        workflow,
        scripts,
        reach = 'where_it_answers',
        retry = false,
        guidance,
        onDispatch = () => undefined,
      }: ResumeChoices = {},
    ): KeptRun => {
      const { taken, header, own, more } = takeOver(place, id, ({ entries, end }, header) => {
        checkNothingLost(place, id, end.lines);
        const known = inForce(header, entries);
        const own = workflow ?? workflowOf(storedManifest(place, known.manifest).graph);
        const more: JournalEntry[] = [];
        if (workflow !== undefined)
          more.push(goOver(keepManifest(workflow.graph, ports), scripts, known.started, ports));
        if (retry) more.push(...takeBackLast(entries, guidance, ports));
        onDispatch(id, startNode(header.started.start, own.graph));
        return { own, more };
      });
      const { entries } = taken;
      const journal = openJournal({ place, committer, run: id, ...taken });
      for (const entry of more) journal.append(entry);
      const all = [...entries, ...more];
      const opened = { workflow: own, header, journal, entries: all, why: lastOpening(entries) };
      return beginRun(opened, runOptions(inForce(header, all).started, companions), ports, reach);
    },
    /** Cancels a run that is not active. The cancellation is safe when the promise resolves. */
    cancel: async (id: RunId, ports: RunPorts): Promise<void> => {
      const { taken, header } = takeOver(place, id, () => ({}));
      const { entries } = taken;
      const journal = openJournal({ place, committer, run: id, ...taken });
      const manifest = () => storedManifest(place, inForce(header, entries).manifest).graph;
      const summary = createNamedSummary(header, manifest);
      const states = createStateFiles({ place, journal, summary, nextTurn, warn });
      const cancelled: JournalEntry = {
        type: 'end',
        outcome: 'cancelled',
        reason: 'cancelled',
        details: {},
        at: ports.clock.now(),
      };
      for (const entry of inForceNow(entries)) summary.take(entry);
      try {
        if (['completed', 'failed', 'cancelled'].includes(summary.summary().status)) return;
        summary.take(cancelled);
        journal.append(cancelled);
        states.take(cancelled);
        await journal.safe();
        states.flush();
      } finally {
        journal.close();
      }
    },
    /**
     * Writes everything from the shared log to the journals, before runs are removed. Throws `state_not_saved` if that
     * fails.
     */
    settleAll: (): void => {
      if (!committer.settleAll())
        throw new RoboSmithError(
          'state_not_saved',
          'the journal of a run could not be written, so the log that runs share is still needed: stop this engine, then prune',
        );
      manifests = new WeakMap();
    },
    /** Writes everything to its place. No run may be active. */
    close: (): void => {
      for (const journal of alive) closeJournal(journal);
      alive.clear();
      try {
        committer.settleAll();
        committer.closeLater(null, shared.close);
      } catch (thrown) {
        warn(`the log that runs share can't be emptied (${messageOf(thrown)}); the next engine start empties it`);
      }
    },
  };
}

export const newRunId = ({ newId }: Pick<RunPorts, 'newId'>): RunId => `r${newId(6)}` as RunId;

/** Called before anything of a run is executed. */
type OnDispatch = (run: RunId, node: NodeId) => void;

export interface ResumeChoices {
  /** Another workflow, which the run follows from now on. */
  readonly workflow?: CompiledWorkflow;
  /** The scripts of the workflow's scripted workers. */
  readonly scripts?: RunOptions['scripts'];
  readonly reach?: ScriptReach;
  /** Executes the failed step again; the failed execution does not count. */
  readonly retry?: boolean;
  /** Guidance for the workers in that execution, with `retry`. */
  readonly guidance?: string | undefined;
  readonly onDispatch?: OnDispatch;
}

function takeBackLast(
  entries: readonly JournalEntry[],
  guidance: string | undefined,
  { clock }: RunPorts,
): readonly JournalEntry[] {
  const failed = failedExecution(entries);
  if (failed === null) return [];
  const words = guidance === undefined || guidance === '' ? {} : { guidance };
  return [{ type: 'retry', key: failed.key, attempt: failed.attempt, ...words, at: clock.now() }];
}

const goOver = (
  manifest: BlobRef,
  scripts: RunOptions['scripts'],
  before: StartData,
  { clock }: RunPorts,
): JournalEntry => ({
  type: 'manifest',
  manifest,
  scripts: scripts === undefined ? before.scripts : scriptsData(scripts),
  at: clock.now(),
});

export type RunStore = ReturnType<typeof createRunStore>;
