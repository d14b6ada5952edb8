import { newPicture, type RunPicture } from '#logic/picture/run-picture.ts';
import { restFrames } from '#logic/picture/take-frame-event.ts';
import { takeEvent } from '#logic/picture/take-event.ts';
import type { LoggedEvent } from '#protocol/event-line.ts';
import type { RoboSmithEvent } from '#protocol/event.ts';
import type { Graph } from '#protocol/graph.ts';
import type { RunId } from '#protocol/id.ts';
import type { PathEntry } from '#protocol/response.ts';
import { runDetails, type RunDetails, runEvents } from '../durable/project.ts';

export interface StoredPicture {
  readonly picture: RunPicture;
  readonly details: RunDetails;
}

const isWhole = (event: LoggedEvent): event is RoboSmithEvent => !('payload' in event);

function entryOf({ listing }: RunDetails): string {
  return listing.summary.node;
}

function emptyPicture(run: RunId, details: RunDetails): RunPicture {
  const { header, graph, listing } = details;
  const { forked_from: forkedFrom, started_at: startedAt } = listing.summary;
  return newPicture(graph, {
    run,
    entry: entryOf(details),
    startedAt,
    forkedFrom,
    stepMode: header.started.stepMode,
  });
}

/** Returns the path of the journal as events, for the part that the event log has lost. */
function eventsOfPath(details: RunDetails, run: RunId, until: number): readonly RoboSmithEvent[] {
  const { graph, path, listing } = details;
  const { started_at: time, trace } = listing.summary;
  return path
    .filter(({ step }) => step <= until)
    .flatMap((entry): readonly RoboSmithEvent[] => {
      const { frame, depth, node, block, visit } = entry;
      const scope = { node, block, frame, depth, visit, step_key: `${run}${frame}` as never };
      const head = { run_id: run, trace_id: trace, time, seq: 0 };
      return [
        { ...head, type: 'block.entered', ...scope },
        { ...head, type: 'transition.taken', entry, row: rowWith(graph, entry) },
      ];
    });
}

function rowWith({ nodes }: Graph, { block, signal, action }: PathEntry): number | null {
  const rows = nodes.flatMap(({ blocks }) => blocks).find(({ id }) => id === block)?.transitions ?? [];
  return rows.find((row) => row.text === action && row.signal === signal)?.row ?? null;
}

const FIRST = 1;

/** Applies the events of a run up to the end of a step, or all of them. */
function fold(picture: RunPicture, events: readonly RoboSmithEvent[], step: number | null): RunPicture {
  for (const event of events) {
    takeEvent(picture, event);
    if (step !== null && event.type === 'transition.taken' && event.entry.step >= step) break;
  }
  return picture;
}

/** Returns the picture of a run, now or at the end of a step. Null if there is no such run. */
export function readRunPicture(root: string, run: RunId, step: number | null = null): StoredPicture | null {
  const details = runDetails(root, run);
  if (details === null) return null;
  const logged = runEvents(root, { run, resolve: true }).events.filter(isWhole);
  const picture = emptyPicture(run, details);
  const first = logged[0]?.seq ?? Infinity;
  if (first > FIRST) {
    const lost = eventsOfPath(details, run, Infinity).map((event, index) => ({ ...event, seq: index + 1 - 1e9 }));
    picture.seq = -2e9;
    fold(picture, lost, step);
  }
  fold(picture, logged, step);
  if (step === null) correct(picture, details);
  return { picture, details };
}

/** Corrects the picture by the journal, which is authoritative if the log lacks the end. */
function correct(picture: RunPicture, { listing }: RunDetails): void {
  const { status, steps, updated_at: updatedAt } = listing.summary;
  if (picture.run.status === status) return;
  const isOver = status === 'completed' || status === 'failed' || status === 'cancelled';
  if (status !== 'running' && picture.activeTime.from !== null) {
    picture.activeTime.before += Math.max(0, picture.at - picture.activeTime.from);
    picture.activeTime.from = null;
  }
  // No process is running it, so its frames are at rest.
  if (status === 'interrupted' || status === 'paused') restFrames(picture);
  const next = status === 'interrupted' || status === 'paused' ? `robosmith resume ${picture.run.run}` : null;
  picture.run = { ...picture.run, status, steps, next, endedAt: isOver ? updatedAt : null };
}
