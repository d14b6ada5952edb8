import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import type { CliIo } from '../cli-io.ts';
import { shownPath } from '../manifest/manifest-file.ts';
import { ioError, systemCode } from '../usage-error.ts';

/** `--input`: the text itself, or `@file`. */
export async function readInput(option: string | undefined, io: CliIo): Promise<string | null> {
  if (option === undefined) return null;
  return option.startsWith('@') ? readText(path.resolve(io.cwd, option.slice(1)), io) : option;
}

export async function readText(file: string, io: CliIo): Promise<string> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    throw ioError(`${shownPath(file, io)} cannot be read (${systemCode(error)}).`, [], error);
  }
}

/** What is piped into the program. */
export async function readStandardInput(): Promise<string> {
  try {
    return await text(process.stdin);
  } catch (error) {
    throw ioError(`The standard input cannot be read (${systemCode(error)}).`, [], error);
  }
}
