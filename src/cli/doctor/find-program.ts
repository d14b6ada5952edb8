import { findProgram as find, searchEnvironment } from '#engine/authoring.ts';
import type { CliIo } from '../terminal/cli-io.ts';

/** Returns the absolute path at which a run would find this program, or null. Starts nothing. */
export async function findProgram(program: string, folder: string, { env, platform }: CliIo): Promise<string | null> {
  if (program === '') return null;
  const found = await find(program, folder, searchEnvironment(env, platform));
  return 'file' in found ? found.file : null;
}
