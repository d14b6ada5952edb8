import {
  createReplay,
  createStateFiles,
  createTurns,
  endOf,
  inForceNow,
  type Journal,
  journalFile,
  type Place,
  recoverState,
} from '#actors/journal/index.ts';
import { statIfThere } from '#io/files/durable-file.ts';
import { startRun as startRunActor } from '#actors/run/index.ts';
import { NO_ARTIFACT } from '#machines/run/assemble-memory.ts';
import type { CompiledWorkflow } from '#protocol/compiled.ts';
import type { RecordedEnvironment } from '#protocol/environment.ts';
import { ENGINE_VERSION } from '#protocol/engine-version.ts';
import type { NodeId, RunId } from '#protocol/id.ts';
import { type HeaderEntry, JOURNAL_FEATURES, type JournalEntry, type Opening } from '#protocol/journal.ts';
import type { Response } from '#protocol/response.ts';
import type { Run, RunOptions, RunPorts } from '#protocol/run.ts';
import type { RunSummary } from '#protocol/run-summary.ts';
import { countScripted, type ScriptCounts } from '#workers/index.ts';
import { createJournaledContext } from '../backends/journaled.ts';
import { evidenceFinder } from '../run/find-evidence.ts';
import { definitionsOf, reachable, type ScriptReach, workerFinder } from '../run/find-worker.ts';
import { artifactReader } from '../run/read-artifact.ts';
import { recordEnvironment } from '../run/run-environment.ts';
import { sliceReader } from '../run/read-slice.ts';
import { cancelledAgain } from './without-execution.ts';
import type { LostBeginning } from '#io/telemetry/run-spans.ts';
import { createNamedSummary, startNode } from './named-summary.ts';

/** A stored run, with the functions that only its owner may use. */
export interface KeptRun extends Run {
  /** Returns its current state. */
  summary(): RunSummary;
  /** The beginning of the run's trace, if the previous process was killed before it could report it; otherwise null. */
  readonly lostBeginning: LostBeginning | null;
}

interface Opened {
  readonly workflow: CompiledWorkflow;
  readonly header: HeaderEntry;
  readonly journal: Journal;
  /** The entries that existed before; only the header in a new run. */
  readonly entries: readonly JournalEntry[];
  readonly why: Opening;
}

interface RunBeginnerParts {
  readonly place: Place;
  readonly nextTurn: (work: () => void) => void;
  /** Calls `work` after a delay; see `StateFilesParts`. */
  readonly afterMs?: ((ms: number, work: () => void) => void) | undefined;
  readonly warn: (message: string) => void;
  /** The id of the current claim to the engine. */
  readonly claim?: string | undefined;
  /** Returns the number of the last reported event of a run. */
  readonly lastEvent: (run: RunId) => number;
  /** Called when a run starts writing to its journal. */
  readonly onOpen: (journal: Journal) => void;
  /** Called when the run has ended or was released. */
  readonly close: (journal: Journal) => void;
}

/**
 * Returns the unreported beginning of the run's trace if the previous process was killed. A process that leaves a run
 * waiting for a person ends normally.
 */
function lostBeginning({ workflow, header, entries, why }: Opened, last: RunSummary): LostBeginning | null {
  const openings = entries.filter(({ type }) => type === 'open').length;
  if (why !== 'after_crash' || openings !== 1 || last.halts.length > 0) return null;
  const { start } = header.started;
  const node = startNode(start, workflow.graph);
  const entry = workflow.graph.nodes.find(({ id }) => id === node)?.entryBlock;
  const block = 'block' in start ? start.block : entry;
  if (block === undefined) return null;
  return { run: header.run, traceId: header.trace, node, block, from: header.at, to: last.updated_at };
}

const goesOn = ({ reason }: Response): boolean => reason === 'halted' || reason === 'interrupted';

/** Returns whether the run's folder was removed; false if that is unknown. */
function isRemoved({ calls, folder }: Place, run: RunId): boolean {
  try {
    return statIfThere(calls, journalFile(folder, run)) === null;
  } catch {
    return false;
  }
}

/** Returns the Response of a run whose folder was removed while it was active: it can't be resumed. */
const lost = (response: Response, run: RunId): Response => ({
  ...response,
  reason: 'state_not_saved',
  details: {
    message: `The journal of ${run} was removed during the run, so the run can't continue and nothing of it was saved.`,
    next: ['robosmith runs'],
  },
});

/** Returns what is recorded of the environment of a run. */
const recorded = (
  { environment }: RunOptions,
  { graph }: CompiledWorkflow,
  { newId }: RunPorts,
): { readonly environment?: RecordedEnvironment } =>
  environment === undefined ? {} : { environment: recordEnvironment(environment, graph, newId(8)) };

/** Turns an open journal into an active run. */
export type BeginRun = (opened: Opened, options: RunOptions, ports: RunPorts, reach: ScriptReach) => KeptRun;

/** Called before the run executes anything. */
export type OnDispatch = (run: RunId, node: NodeId) => void;

/** The journal, the summary and the state files of one active run. */
interface RunFiles {
  readonly journal: Journal;
  readonly summary: ReturnType<typeof createNamedSummary>;
  readonly states: ReturnType<typeof createStateFiles>;
}

/** Returns a journal whose entries also update the run's summary and its state files. */
const withStates = ({ journal, summary, states }: RunFiles): Journal => ({
  ...journal,
  append: (entry) => {
    journal.append(entry);
    summary.take(entry);
    states.take(entry);
  },
});

/** Returns the run with the functions for its owner. Its files are closed when it has settled or is released. */
function kept(
  run: Run,
  { journal, summary, states }: RunFiles,
  lostBeginning: LostBeginning | null,
  { place, close }: Pick<RunBeginnerParts, 'place' | 'close'>,
): KeptRun {
  const rest = (response: Response): Response => {
    const isLost = goesOn(response) && isRemoved(place, journal.run);
    if (isLost && response.reason === 'halted') run.release();
    if (!isLost) states.flush();
    if (!isLost && response.reason === 'halted') journal.rest();
    else close(journal);
    return isLost ? lost(response, journal.run) : response;
  };
  return {
    ...run,
    summary: summary.summary,
    lostBeginning,
    release: () => {
      run.release();
      states.flush();
      close(journal);
    },
    settled: async () => {
      const response = await run.settled();
      return rest(response);
    },
  };
}

/**
 * Creates a function that turns an open journal into an active run: its entries are replayed, and new ones are
 * appended.
 */
export function runBeginner(parts: RunBeginnerParts): BeginRun {
  const { place, nextTurn, afterMs, warn, claim, lastEvent, onOpen } = parts;

  const openFiles = ({ workflow, header, journal, entries }: Opened): RunFiles => {
    const summary = createNamedSummary(header, () => workflow.graph);
    for (const entry of inForceNow(entries, true)) summary.take(entry);
    return { journal, summary, states: createStateFiles({ place, journal, summary, nextTurn, afterMs, warn }) };
  };

  return (opened, options, ports, reach) => {
    const { workflow, header, entries, why } = opened;
    const { graph } = workflow;
    const files = openFiles(opened);
    const missed = why === 'start' ? null : lostBeginning(opened, files.summary.summary());
    // A cancelled run only replays its journal: nothing is executed or written.
    const isCancelled = endOf(entries)?.outcome === 'cancelled';
    const journal: Journal = isCancelled ? { ...opened.journal, append: () => undefined } : withStates(files);
    onOpen(opened.journal);
    const by = claim === undefined ? {} : { by: claim };
    const environment = recorded(options, workflow, ports);
    const opening = {
      type: 'open',
      at: ports.clock.now(),
      why,
      engine: ENGINE_VERSION,
      features: JOURNAL_FEATURES,
    } as const;
    journal.append({ ...opening, ...by, ...environment });
    const recovered = recoverState(entries);
    const turns = createTurns(nextTurn);
    const counts: ScriptCounts = new Map();
    const findWorker = workerFinder(graph, options, reach, counts, reachable(ports));
    const findEvidence = evidenceFinder(options, reach, counts);
    const definitionOf = definitionsOf(graph);
    const context = createJournaledContext({
      runId: header.run,
      graph,
      ports,
      findWorker,
      findEvidence,
      definitionOf,
      approvals: options.approvals,
      journal,
      replay: createReplay({ recovered, turns, nextTurn }),
      recovered,
      turns,
      calls: place.calls,
      folder: place.folder,
      countScripted: (role, worker, block, frame) => countScripted(counts, role, worker, block, frame),
    });
    const run: Run = startRunActor(workflow, options, {
      id: header.run,
      traceId: header.trace,
      ports,
      context: isCancelled ? cancelledAgain(context, nextTurn, () => run.cancel()) : context,
      findWorker,
      definitionOf,
      readArtifact:
        ports.files === null ? () => Promise.resolve(NO_ARTIFACT) : artifactReader(ports.files, ports.outbound ?? null),
      readSlice: sliceReader(graph, ports, definitionOf),
      whereabouts: {
        session: header.started.session ?? null,
        task: header.started.task ?? null,
        worktree: ports.files?.root ?? null,
      },
      ...(why === 'start' ? {} : { begun: { at: header.at, lastEvent: lastEvent(header.run) } }),
    });
    // Results that can't be stored are worthless, so the run is interrupted at once; it can be resumed.
    opened.journal.onTrouble(() => run.interrupt());
    return kept(run, files, missed, parts);
  };
}
