import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { CliIo } from '../cli-io.ts';
import { shownPath } from '../manifest/manifest-file.ts';
import { ioError, systemCode } from '../usage-error.ts';
import { styleFor } from './style.ts';

/** What was asked for: to stdout, or to the file that `--out` names. */
export async function writeProduct(text: string, out: string | undefined, io: CliIo): Promise<void> {
  if (out === undefined) {
    io.stdout.write(text);
    return;
  }
  const file = path.resolve(io.cwd, out);
  let made: string | undefined;
  try {
    made = await mkdir(path.dirname(file), { recursive: true });
    await writeFile(file, text);
  } catch (error) {
    throw ioError(`${shownPath(file, io)} cannot be written (${systemCode(error)}).`, [], error);
  }
  const where = made === undefined ? '' : `, in the new folder ${shownPath(path.dirname(file), io)}`;
  const { paint, symbols } = styleFor(io.stderr, io);
  io.stderr.write(`${paint.green(symbols.ok)} Wrote ${shownPath(file, io)}${where}.\n`);
}
