import { manifestFileOf } from '#engine/authoring.ts';
import type { Session } from '#protocol/session.ts';
import { shellWord } from '#protocol/shell-word.ts';
import type { Resolver } from '#protocol/session-api.ts';
import type { CliIo } from '../terminal/cli-io.ts';
import { openManifest, runnable } from '../manifest/open-manifest.ts';
import { printInvalid } from '../manifest/open-workflow.ts';
import { findStart } from '../run/find-start.ts';
import { askTrust } from '../trust/ask-trust.ts';
import { usageError } from '../terminal/usage-error.ts';

export interface ResolverFlags {
  /** The node that resolves conflicts. True selects the node that the manifest names. */
  readonly resolve?: string | true;
  readonly detach?: true;
  readonly trust?: true;
}

/**
 * Returns the node that resolves conflicts, according to the manifest of the session's job or else the nearest
 * manifest; null if that has errors, which were printed.
 */
export async function resolverOf(
  { id, job }: Session,
  { resolve, detach, trust }: ResolverFlags,
  root: string,
  io: CliIo,
): Promise<Resolver | null> {
  const manifest = await openManifest((await manifestFileOf(job, root)) ?? undefined, [io.cwd, root], io, root);
  const workflow = runnable(manifest);
  if (workflow === null) {
    printInvalid(manifest, io);
    return null;
  }
  const { graph } = workflow;
  const name = resolve === true ? graph.worktree['resolver'] : resolve;
  if (typeof name !== 'string')
    throw usageError(
      'No node for resolving conflicts is known. Use --resolve <node>, or set "worktree": {"resolver": "<node>"} in the manifest.',
      ['robosmith manifest show'],
    );
  const found = findStart(name, graph);
  if ('message' in found) throw usageError(found.message, ['robosmith manifest show']);
  if ((await askTrust(graph, root, trust === true, io)) === null)
    throw usageError('This project runs commands or calls models, and it is not trusted yet; nothing was changed.', [
      `robosmith sessions update ${id} --resolve ${shellWord(name)}${detach === true ? ' --detach' : ''} --trust`,
    ]);
  return { start: found.start, manifest: manifest.file };
}
