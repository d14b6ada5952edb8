import {
  createReplay,
  createTurns,
  damaged,
  type Difference,
  endOf,
  type Journal,
  type Place,
  readRun,
  recoverState,
  summarise,
} from '#actors/journal/index.ts';
import { startRun as startRunActor } from '#actors/run/index.ts';
import { workflowOf } from '#compiler/index.ts';
import { NO_ARTIFACT } from '#machines/run/assemble-memory.ts';
import type { Clock } from '#protocol/clock.ts';
import type { CompiledWorkflow } from '#protocol/compiled.ts';
import type { RunId } from '#protocol/id.ts';
import type { HeaderEntry, JournalEntry } from '#protocol/journal.ts';
import type { Reason, Response } from '#protocol/response.ts';
import type { Run, RunPorts } from '#protocol/run.ts';
import { createJournaledContext } from '../backends/journaled.ts';
import { findRealEvidence } from '../run/find-evidence.ts';
import { definitionsOf, workerFinder } from '../run/find-worker.ts';
import { refusalResponse } from '../run/refusal-response.ts';
import { inForce } from './manifest-in-force.ts';
import { type UnstoredOptions, runOptions } from './start-data.ts';
import { storedManifest } from './manifest-store.ts';
import { cancelledAgain, withoutExecution } from './without-execution.ts';

export type ReplayResult =
  | { readonly kind: 'same'; readonly response: Response }
  | { readonly kind: 'different'; readonly difference: Difference; readonly response: Response }
  | { readonly kind: 'missing' };

interface ReplayPorts extends RunPorts {
  readonly nextTurn: (work: () => void) => void;
}

/** Returns a journal that writes nothing. */
const nowhere = (run: RunId): Journal => ({
  run,
  position: () => ({ lines: 0, bytes: 0 }),
  append: () => undefined,
  safe: () => null,
  trouble: () => null,
  onTrouble: () => undefined,
  giveUp: () => {
    throw new RangeError('nothing is kept here');
  },
  rest: () => undefined,
  close: () => undefined,
});

/** Returns a clock that never waits: everything that a replay could wait for is in the past. */
const timeless = ({ now }: Clock): Clock => ({ now, sleep: () => Promise.resolve() });

const reasonText = (reason: Reason | null): string => (reason === null ? 'it is completed' : `it ends with ${reason}`);

/**
 * Compares the end of a replay with the recorded end, after the paths were found to be equal. If the journal has no
 * end, because the run was stopped or the journal was cut, only the halts are compared.
 */
function endDifference(entries: readonly JournalEntry[], { reason, details }: Response): Difference | null {
  const end = endOf(entries);
  if (end !== null) return end.reason === reason ? null : { recorded: reasonText(end.reason), now: reasonText(reason) };
  if (reason !== 'halted') return null;
  const waiting = new Set((details.halts ?? []).map(({ halt_id, why }) => `${halt_id} ${why}`));
  const lost = summarise(entries)?.halts.find(({ halt_id, why }) => !waiting.has(`${halt_id} ${why}`));
  return lost === undefined ? null : { recorded: `${lost.block} waits (${lost.why})`, now: 'it does not wait' };
}

interface ReplayOf {
  readonly place: Place;
  readonly header: HeaderEntry;
  readonly entries: readonly JournalEntry[];
  readonly workflow: CompiledWorkflow;
  readonly companions: UnstoredOptions;
  readonly ports: ReplayPorts;
}

/** Runs the machines with the results of the journal. Requests after the end of the journal are ignored. */
async function takeAgain({ place, header, entries, workflow, companions, ports }: ReplayOf) {
  const { graph } = workflow;
  const options = runOptions(header.started, companions);
  const findWorker = workerFinder(graph, options, 'all');
  const definitionOf = definitionsOf(graph);
  const recovered = recoverState(entries);
  const turns = createTurns(ports.nextTurn);
  const history = createReplay({ recovered, turns, nextTurn: ports.nextTurn });
  const still: RunPorts = { ...ports, clock: timeless(ports.clock) };
  const context = createJournaledContext({
    runId: header.run,
    graph,
    ports: still,
    findWorker,
    findEvidence: findRealEvidence,
    definitionOf,
    recovered,
    turns,
    ...place,
    journal: nowhere(header.run),
    replay: history,
    countScripted: () => undefined,
  });
  const replayContext =
    endOf(entries)?.outcome === 'cancelled'
      ? cancelledAgain(context, ports.nextTurn, () => run.cancel())
      : withoutExecution(context, () => ports.nextTurn(() => run.interrupt()));
  const run: Run = startRunActor(workflow, options, {
    id: header.run,
    traceId: header.trace,
    ports: still,
    context: replayContext,
    findWorker,
    definitionOf,
    readArtifact: () => Promise.resolve(NO_ARTIFACT),
    readSlice: null,
    whereabouts: { session: null, task: null, worktree: null },
    begun: { at: header.at, lastEvent: 0 },
  });
  return { history, response: await run.settled() };
}

async function replay(of: ReplayOf, isOwn: boolean): Promise<ReplayResult> {
  const { start } = of.header.started;
  const { nodes } = of.workflow.graph;
  const begins =
    'block' in start
      ? nodes.some(({ blocks }) => blocks.some(({ id }) => id === start.block))
      : nodes.some(({ id }) => id === start.node);
  if (!begins) {
    const recorded = `it starts at ${'block' in start ? start.block : start.node}`;
    const response = refusalResponse('unknown_node', { ...start }, of.header.started.source);
    return { kind: 'different', difference: { recorded, now: 'the manifest has no such start' }, response };
  }
  const { history, response } = await takeAgain(of);
  const missing = history.missing();
  const difference =
    history.difference() ??
    (missing === null ? null : { recorded: missing, now: 'the run has ended' }) ??
    (isOwn ? endDifference(of.entries, response) : null);
  return difference === null ? { kind: 'same', response } : { kind: 'different', difference, response };
}

/**
 * Replays a journal without executing or changing anything; with another workflow, reports where that one would take
 * another path.
 */
export async function replayRun(
  place: Place,
  id: RunId,
  ports: ReplayPorts,
  { workflow, ...companions }: UnstoredOptions & { readonly workflow?: CompiledWorkflow } = {},
): Promise<ReplayResult> {
  const reading = readRun(place, id);
  if (reading.kind === 'missing') return reading;
  if (reading.kind === 'damaged') throw damaged(reading.file, reading.damage);
  const { entries } = reading.run;
  const [header] = entries;
  if (header?.type !== 'run') return { kind: 'missing' };
  const { manifest, started } = inForce(header, entries);
  const own = workflow ?? workflowOf(storedManifest(place, manifest).graph);
  const of = { place, header: { ...header, started }, entries, workflow: own, companions, ports };
  return replay(of, workflow === undefined);
}
