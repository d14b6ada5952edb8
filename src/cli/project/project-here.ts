import { findRoot } from '#engine/authoring.ts';
import type { CliIo } from '../terminal/cli-io.ts';

/** The project that this folder belongs to; null: none, and that is no mistake. */
export async function projectHere(io: CliIo): Promise<string | null> {
  const found = await findRoot(io.cwd);
  return 'reason' in found ? null : found.root;
}
