import { readdirSync } from 'node:fs';
import path from 'node:path';
import { type Place, readRun } from '#actors/journal/index.ts';
import { listRun } from '#engine/durable/project-runs.ts';
import { replayRun } from '#engine/durable/replay-run.ts';
import { fileCalls } from '#io/files/file-calls.ts';
import type { RunId } from '#protocol/id.ts';
import type { Response } from '#protocol/response.ts';
import { createDurableBench } from '../support/durable-run.ts';
import type { RunReport } from './job.ts';
import type { Settled } from './person.ts';
import { stableResponse, stableSummary } from './stable.ts';

type Bench = ReturnType<typeof createDurableBench>;

async function inVirtualTime<Value>(bench: Bench, work: Promise<Value>): Promise<Value> {
  let isOver = false;
  const over = (): void => void (isOver = true);
  work.then(over, over);
  do await bench.rest();
  while (!isOver && bench.clock.advance());
  return work;
}

/** Returns true if a crash caused a halt. One branch then waited while the others continued. */
function isAsked(place: Place, run: RunId): boolean {
  const reading = readRun(place, run);
  const entries = reading.kind === 'read' ? reading.run.entries : [];
  return entries.some((entry) => entry.type === 'halt' && (entry.why === 'unsafe' || entry.why === 'circuit_open'));
}

async function replayed(
  place: Place,
  run: RunId,
): Promise<{ readonly replay: string; readonly response: Response | null }> {
  const bench = createDurableBench(fileCalls, place.folder, () => '00');
  const ports = { ...bench.ports, nextTurn: (work: () => void): void => void setImmediate(work) };
  const again = await inVirtualTime(bench, replayRun(place, run, ports));
  if (again.kind === 'missing') return { replay: 'missing', response: null };
  return { replay: again.kind === 'same' ? 'same' : JSON.stringify(again.difference), response: again.response };
}

/** Reports what is stored about a run. `settled` is null if the run had ended before this process started. */
export async function lookBack(place: Place, run: RunId, settled: Settled | null, forks: boolean): Promise<RunReport> {
  const { replay, response } = await replayed(place, run);
  const again = response === null ? '' : stableResponse(response);
  const listing = listRun(place, run, 'anybody');
  return {
    run,
    replay,
    replayed: again,
    asked: isAsked(place, run),
    outcome: settled?.outcome ?? 'settled',
    response: settled === null ? again : stableResponse(settled.response),
    summary: listing?.kind === 'run' ? stableSummary(listing.summary, forks) : JSON.stringify(listing),
  };
}

/** Lists all files and folders below a folder; the names of folders end with a slash. */
export const filesIn = (folder: string): readonly string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .map(
      (entry) => `${path.relative(folder, path.join(entry.parentPath, entry.name))}${entry.isDirectory() ? '/' : ''}`,
    )
    .sort();
