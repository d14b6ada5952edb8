import { loadManifest, manifestPath, runEnvironment } from '#engine/authoring.ts';
import path from 'node:path';
import type { Environment } from '#protocol/environment.ts';
import type { CliIo } from '../terminal/cli-io.ts';

/** Returns the part of this terminal's environment that the project's manifest uses; without a valid manifest, the usual variables. */
export async function projectEnvironment(root: string, io: CliIo): Promise<Environment> {
  const file = path.join(root, await manifestPath(root));
  const loaded = await loadManifest(file, { root }).catch(() => null);
  return runEnvironment(loaded?.compilation.workflow?.graph ?? null, io.env);
}
