import { findManifest, findRoot, loadManifest } from '#engine/authoring.ts';
import { projectRuns, storedSessions } from '#engine/index.ts';
import type { Graph } from '#protocol/graph.ts';
import { hasEnded } from '#protocol/session.ts';
import { harmless } from '../print/style.ts';
import type { CliIo } from '../terminal/cli-io.ts';
import type { NameKind } from './described-command.ts';

/** The maximum number of names printed; the newest come first. */
const MOST = 50;

async function graphOf({ cwd }: CliIo): Promise<Graph | null> {
  const file = await findManifest(cwd);
  const found = await findRoot(cwd);
  if (file === null) return null;
  const loaded = await loadManifest(file, 'reason' in found ? {} : { root: found.root });
  return loaded?.compilation.workflow?.graph ?? null;
}

async function namesOf(kind: NameKind, io: CliIo): Promise<readonly string[]> {
  if (kind === 'pages') {
    const { groups } = await (await import('../docs/pages.ts')).openDocuments();
    return groups.flatMap(({ pages }) => pages.map(({ name }) => name));
  }
  if (kind === 'nodes' || kind === 'blocks') {
    const nodes = (await graphOf(io))?.nodes ?? [];
    return kind === 'nodes' ? nodes.map(({ id }) => id) : nodes.flatMap(({ blocks }) => blocks.map(({ id }) => id));
  }
  const found = await findRoot(io.cwd);
  if ('reason' in found) return [];
  if (kind === 'runs')
    return projectRuns(found.root)
      .map(({ run }) => run)
      .slice(0, MOST);
  return storedSessions(found.root).flatMap((session) => (hasEnded(session) ? [] : [session.id]));
}

/** Prints names for the completion of a shell, one per line. Prints nothing if the names can't be read. */
export async function printNames(kind: NameKind, io: CliIo): Promise<number> {
  const names = await namesOf(kind, io).catch(() => []);
  for (const name of names) io.stdout.write(`${harmless(name)}\n`);
  return 0;
}
