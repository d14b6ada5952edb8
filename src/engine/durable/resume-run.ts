import { type createCommitter, failedExecution, openJournal, type Place } from '#actors/journal/index.ts';
import { workflowOf } from '#compiler/index.ts';
import type { CompiledWorkflow } from '#protocol/compiled.ts';
import type { RunId } from '#protocol/id.ts';
import type { BlobRef, HeaderEntry, JournalEntry, Opening, StartData } from '#protocol/journal.ts';
import type { RunOptions, RunPorts } from '#protocol/run.ts';
import type { ScriptReach } from '../run/find-worker.ts';
import type { BeginRun, KeptRun, OnDispatch } from './begin-run.ts';
import { inForce } from './manifest-in-force.ts';
import { type ManifestStore, storedManifest } from './manifest-store.ts';
import { startNode } from './named-summary.ts';
import { type UnstoredOptions, runOptions, scriptsData } from './start-data.ts';
import { checkNothingLost, takeOver } from './take-over.ts';

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

interface RunResumerParts {
  readonly place: Place;
  readonly committer: ReturnType<typeof createCommitter>;
  readonly manifests: Pick<ManifestStore, 'keep'>;
  readonly beginRun: BeginRun;
}

const lastOpening = (entries: readonly JournalEntry[]): Opening =>
  entries.findLast(({ type }) => type === 'open' || type === 'stop')?.type === 'stop' ? 'after_stop' : 'after_crash';

function rollBackLast(
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

/** Creates the function that resumes a stored run; it throws `corrupt_state` if the run can't be read. */
export function runResumer({ place, committer, manifests, beginRun }: RunResumerParts) {
  /** Returns the workflow that the run follows now, and the entries that record what changes with this resumption. */
  const prepare = (
    entries: readonly JournalEntry[],
    header: HeaderEntry,
    { workflow, scripts, retry = false, guidance }: ResumeChoices,
    ports: RunPorts,
  ): { readonly own: CompiledWorkflow; readonly more: readonly JournalEntry[] } => {
    const known = inForce(header, entries);
    const own = workflow ?? workflowOf(storedManifest(place, known.manifest).graph);
    const more: JournalEntry[] = [];
    if (workflow !== undefined) more.push(goOver(manifests.keep(workflow.graph, ports), scripts, known.started, ports));
    if (retry) more.push(...rollBackLast(entries, guidance, ports));
    return { own, more };
  };

  return (id: RunId, companions: UnstoredOptions, ports: RunPorts, choices: ResumeChoices = {}): KeptRun => {
    const { reach = 'where_it_answers', onDispatch = () => undefined } = choices;
    const { taken, header, own, more } = takeOver(place, id, ({ entries, end }, header) => {
      checkNothingLost(place, id, end.lines);
      const prepared = prepare(entries, header, choices, ports);
      onDispatch(id, startNode(header.started.start, prepared.own.graph));
      return prepared;
    });
    const { entries } = taken;
    const journal = openJournal({ place, committer, run: id, ...taken });
    for (const entry of more) journal.append(entry);
    const all = [...entries, ...more];
    const opened = { workflow: own, header, journal, entries: all, why: lastOpening(entries) };
    return beginRun(opened, runOptions(inForce(header, all).started, companions), ports, reach);
  };
}
