import { mkdir, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { CliIo } from '../terminal/cli-io.ts';
import { shownPath } from '../names/shown-path.ts';
import { ioError, systemCode, usageError } from '../terminal/usage-error.ts';
import { styleFor } from './style.ts';

/** Writes the output to stdout or to the file given by `--out`. Refuses a file from which the output was made. */
export async function writeProduct(
  text: string,
  out: string | undefined,
  io: CliIo,
  sources: readonly string[],
): Promise<void> {
  if (out === undefined) {
    io.stdout.write(text);
    return;
  }
  const file = path.resolve(io.cwd, out);
  if (await isOneOf(file, sources))
    throw usageError(
      `${shownPath(file, io)} is an input of this command, so it is not overwritten. Choose another output file.`,
      [],
    );
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

/** Compares files by identity, since links and case give one file several names. */
async function isOneOf(file: string, sources: readonly string[]): Promise<boolean> {
  const identity = async (name: string): Promise<string | null> => {
    const found = await stat(name, { bigint: true }).catch(() => null);
    return found === null ? null : `${found.dev} ${found.ino}`;
  };
  const own = await identity(file);
  if (own === null) return false;
  const others = await Promise.all(sources.map(identity));
  return others.includes(own);
}
