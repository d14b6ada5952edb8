import { type Place, readRun } from '#actors/journal/index.ts';
import type { Graph } from '#protocol/graph.ts';
import type { RunId } from '#protocol/id.ts';
import type { RunStatus } from '#protocol/journal.ts';
import { inForce } from './manifest-in-force.ts';
import { listRun } from './project-runs.ts';
import { storedManifest } from './manifest-store.ts';

const OVER: ReadonlySet<RunStatus> = new Set(['completed', 'cancelled', 'failed']);

/** Returns the newest of these runs with its manifest; null if it can't be resumed. */
export function openRunOf(place: Place, runs: readonly RunId[]): { readonly run: RunId; readonly graph: Graph } | null {
  const run = runs.at(-1);
  const listing = run === undefined ? null : listRun(place, run, null);
  if (run === undefined || listing?.kind !== 'run' || OVER.has(listing.summary.status)) return null;
  const reading = readRun(place, run);
  const [header] = reading.kind === 'read' ? reading.run.entries : [];
  if (reading.kind !== 'read' || header?.type !== 'run') return null;
  const { manifest } = inForce(header, reading.run.entries);
  return { run, graph: storedManifest(place, manifest).graph };
}
