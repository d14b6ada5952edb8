import { findRoot } from '#engine/authoring.ts';
import type { CliIo } from '../terminal/cli-io.ts';

/** Returns the project of the current folder; if there is none, the project of the given working directory. */
export async function projectRoot(directory: string, io: CliIo) {
  const here = await findRoot(io.cwd);
  if (!('reason' in here)) return { root: here.root, elsewhere: false };
  const there = here.reason === 'root_not_found' ? await findRoot(directory) : here;
  return 'reason' in there ? there : { root: there.root, elsewhere: true };
}
