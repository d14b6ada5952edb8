import { compareGraphs } from '#engine/authoring.ts';
import type { Graph } from '#protocol/graph.ts';
import type { CliIo } from '../terminal/cli-io.ts';
import { type OpenManifest, openManifest, runnable } from '../manifest/open-manifest.ts';
import { countText } from '../print/diagnostics.ts';
import { RoboSmithError } from '#protocol/error.ts';
import path from 'node:path';
import type { StoredRunCommands } from '../names/stored-run-commands.ts';

/** Returns the current version of the manifest that a run was started from; null if it can't be read. */
export async function manifestToday(root: string, source: string | null, io: CliIo): Promise<OpenManifest | null> {
  if (source === null) return null;
  try {
    return await openManifest(path.resolve(root, source), [], io, root);
  } catch (thrown) {
    if (RoboSmithError.is(thrown)) return null;
    throw thrown;
  }
}

/** The maximum number of names listed in a message. */
const MOST = 4;

/** Returns a message if the run follows another version of the manifest than the current one; otherwise null. */
export function driftMessage(today: OpenManifest, stored: Graph, kept: StoredRunCommands): string | null {
  const workflow = runnable(today);
  if (workflow === null)
    return `${today.shown} has ${countText(today.findings)} now: the run continues with the manifest that it was started with.`;
  const differences = compareGraphs(stored, workflow.graph);
  if (differences.length === 0) return null;
  const names = [
    ...new Set(differences.map(({ subject, id }) => (subject === 'manifest' ? 'settings' : `${subject} ${id}`))),
  ];
  const some = `${names.slice(0, MOST).join(', ')}${names.length > MOST ? ', …' : ''}`;
  const count = `${differences.length} ${differences.length === 1 ? 'difference' : 'differences'}`;
  return `${today.shown} has changed (${count}: ${some}). The run continues with the manifest that it was started with; ${kept.command('resume', '--manifest', 'new')} would use the current one.`;
}
