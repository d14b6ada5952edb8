import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { mayBeSent } from '#engine/authoring.ts';
import { RoboSmithError } from '#protocol/error.ts';
import { text } from 'node:stream/consumers';
import type { CliIo } from '../terminal/cli-io.ts';
import { nearbyFile } from '../manifest/manifest-file.ts';
import { shownPath } from '../names/shown-path.ts';
import { ioError, systemCode } from '../terminal/usage-error.ts';

/**
 * Returns the input that `--input` contains, or that is in the file of `--input @file`. If `project` is given, a file
 * that the rules of `.vision/ignore` exclude is refused, because the text is sent to a model.
 */
export async function readInput(option: string | undefined, io: CliIo, project?: string): Promise<string | null> {
  if (option === undefined) return null;
  if (!option.startsWith('@')) return option;
  const file = path.resolve(io.cwd, option.slice(1));
  if (project !== undefined) await checkMayBeSent(project, file, io);
  return readText(file, io);
}

async function checkMayBeSent(project: string, file: string, io: CliIo): Promise<void> {
  if (await mayBeSent(project, file)) return;
  throw new RoboSmithError(
    'file_ignored',
    `${shownPath(file, io)} must not be sent: .vision/ignore or a built-in rule for secrets excludes it. Nothing was sent.`,
    { path: file, next: ['robosmith run --help'] },
  );
}

/** Reads a text file without its byte order mark. */
export async function readText(file: string, io: CliIo): Promise<string> {
  try {
    return (await readFile(file, 'utf8')).replace(/^\uFEFF/, '');
  } catch (error) {
    throw ioError(`${shownPath(file, io)} cannot be read (${systemCode(error)}).${await nearbyFile(file)}`, [], error);
  }
}

/** Reads stdin to its end. */
export async function readStandardInput(): Promise<string> {
  try {
    return await text(process.stdin);
  } catch (error) {
    throw ioError(`The standard input cannot be read (${systemCode(error)}).`, [], error);
  }
}
