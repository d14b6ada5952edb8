import type { Session } from '#protocol/session.ts';
import type { CliIo } from '../cli-io.ts';
import { openManifest, runnable } from '../manifest/open-manifest.ts';
import { printInvalid } from '../manifest/open-workflow.ts';
import { askTrust } from '../trust/ask-trust.ts';
import { usageError } from '../usage-error.ts';

/**
 * A session that failed before its run began, for example because its manifest had changed since: asked here, where
 * somebody can say so, what the host can only refuse. False: its manifest is broken, which was told.
 */
export async function mayBegin(
  { id, job, resolving, runs, state }: Session,
  trust: boolean,
  root: string,
  io: CliIo,
): Promise<boolean> {
  if (state !== 'failed' || job === null || resolving !== null || runs.length > 0) return true;
  const manifest = await openManifest(job.manifest, [root], io, root);
  const workflow = runnable(manifest);
  if (workflow === null) {
    printInvalid(manifest, job.manifest, io);
    return false;
  }
  if (await askTrust(workflow.graph, root, trust, io)) return true;
  throw usageError('This project brings commands or calls models, and is not trusted yet; nothing was changed.', [
    `robosmith sessions resume ${id} --trust`,
  ]);
}
