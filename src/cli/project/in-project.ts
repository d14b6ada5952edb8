import { findRoot } from '#engine/authoring.ts';
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
