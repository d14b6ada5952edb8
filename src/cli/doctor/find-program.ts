import { findProgram as find, searchEnvironment } from '#engine/authoring.ts';
import type { CliIo } from '../terminal/cli-io.ts';

/** Where a run would find this program: absolute, or null. Looks, and starts nothing. */
export async function findProgram(program: string, folder: string, { env, platform }: CliIo): Promise<string | null> {
  if (program === '') return null;
  const found = await find(program, folder, searchEnvironment(env, platform));
  return 'file' in found ? found.file : null;
}
