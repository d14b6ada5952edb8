import { findServerProgram } from '#io/code-analysis/server-program.ts';
import { runInherited } from '#io/code-analysis/run-inherited.ts';
import { RoboSmithError } from '#protocol/error.ts';

/** Runs the analysis server of a folder on this process's own stdin and stdout. Resolves to its exit code. */
export async function serveCodeAnalysis(
  folder: string,
  environment: Readonly<Record<string, string | undefined>>,
): Promise<number> {
  const program = await findServerProgram(environment);
  if (program.kind === 'none') throw new RoboSmithError('refused', `${program.message}.`);
  return runInherited(program, [folder]);
}
