import { programVersion } from '../names/program-version.ts';
import type { CliIo } from '../terminal/cli-io.ts';

export async function showVersion(io: CliIo): Promise<number> {
  io.stdout.write(`${await programVersion()}\n`);
  return 0;
}
