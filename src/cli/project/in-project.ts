import { findRoot, worktreeTop } from '#engine/authoring.ts';
import { EXIT_CODE } from '#protocol/response.ts';
import type { CliIo } from '../terminal/cli-io.ts';
import { type JsonOption, printRefused } from '../print/refused.ts';

/** Runs a function with the project of the current folder; fails if there is none. */
export async function inProject(
  options: JsonOption,
  io: CliIo,
  work: (root: string) => number | Promise<number>,
): Promise<number> {
  const found = await findRoot(io.cwd);
  if (!('reason' in found)) return work(found.root);
  const next = found.reason === 'root_not_found' ? 'robosmith init' : 'robosmith doctor';
  const problem = { code: found.reason, message: `${found.message}.`, next: [next] };
  return printRefused(problem, EXIT_CODE[found.reason], options, io);
}

/** Returns the project of the current folder, or null. */
export async function projectHere(io: CliIo): Promise<string | null> {
  const found = await findRoot(io.cwd);
  return 'reason' in found ? null : found.root;
}

/** Returns the top of the repository if the project is only a folder of it; null otherwise. */
export async function repositoryAbove(root: string): Promise<string | null> {
  const top = await worktreeTop(root);
  return top === root ? null : top;
}

/** Returns the project of the current folder; if there is none, the project of the given working directory. */
export async function projectRoot(directory: string, io: CliIo) {
  const here = await findRoot(io.cwd);
  if (!('reason' in here)) return { root: here.root, elsewhere: false };
  const there = here.reason === 'root_not_found' ? await findRoot(directory) : here;
  return 'reason' in there ? there : { root: there.root, elsewhere: true };
}
