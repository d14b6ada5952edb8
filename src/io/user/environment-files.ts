import { realpath } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import type { EnvironmentFiles, ProjectVariables } from '#protocol/agent.ts';
import { RoboSmithError } from '#protocol/error.ts';
import { isFolder } from '../files/stat-files.ts';
import { readSmallTextOf } from '../files/read-small-file.ts';
import { realPath } from '../files/real-path.ts';
import { upwards } from '../files/upwards.ts';

/** Maximum size of a file with variables, in bytes. */
const LARGEST = 1 << 20;

/**
 * Matches every name that a parser of such files could read as a variable. A name too many does no harm, since it is
 * only given an empty value.
 */
const NAME = /([\w.-]+)\s*[=:]/g;

async function namesIn(file: string): Promise<readonly string[]> {
  const read = await readSmallTextOf(file, LARGEST);
  if ('missing' in read || isFolder(file)) return [];
  if ('text' in read) return [...read.text.matchAll(NAME)].map(([, name = '']) => name);
  throw new RoboSmithError(
    'precondition_failed',
    `${file} can't be read: ${read.why}. The agent reads its settings from this file, so remove it or make it readable`,
  );
}

/**
 * Returns the variables that files of a folder would set for a program: those in the folder and its parents belong to
 * the project, those in the home folder to the user. Throws `precondition_failed` for a file that can't be read.
 */
export async function projectVariables(
  folder: string,
  { files, home }: EnvironmentFiles,
  environment: Readonly<Record<string, string | undefined>>,
): Promise<ProjectVariables> {
  const named = home === null ? '' : (environment[home] ?? '');
  const own = await realPath(named === '' ? os.homedir() : named);
  const namesBelow = async (folders: readonly string[]): Promise<readonly string[]> => {
    const all = folders.flatMap((one) => files.map((file) => namesIn(path.join(one, file))));
    return [...new Set((await Promise.all(all)).flat())];
  };
  const above = [...upwards(await realpath(folder))].filter((one) => one !== own);
  return { project: await namesBelow(above), user: await namesBelow([own]) };
}
