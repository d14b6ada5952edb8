import { findRoot } from '#engine/authoring.ts';
import type { CliIo } from '../terminal/cli-io.ts';

/** Returns the project of the current folder, or null. */
export async function projectHere(io: CliIo): Promise<string | null> {
  const found = await findRoot(io.cwd);
  return 'reason' in found ? null : found.root;
}
