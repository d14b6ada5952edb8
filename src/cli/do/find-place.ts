import { appendFile, mkdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import {
  CALLS_WITHOUT_VISION,
  checkMayInit,
  findRoot,
  gitFoldersOf,
  mainWorktreeOf,
  worktreeTop,
} from '#engine/authoring.ts';
import { RoboSmithError } from '#protocol/error.ts';
import type { CliIo } from '../terminal/cli-io.ts';
import { ioError, systemCode, usageError } from '../terminal/usage-error.ts';

/** The project of a task: its folder, and whether the folder has a `.flow` already. */
export interface DoPlace {
  readonly root: string;
  readonly isNew: boolean;
}

/** Returns the project around the current folder, else the top of the repository, of its main worktree if it has one. */
export async function findPlace(io: CliIo): Promise<DoPlace> {
  const top = await worktreeTop(io.cwd);
  if (top === null)
    throw usageError(
      'A task is done in a git worktree, and this folder is in no git repository. Run git init and make a first commit.',
      ['robosmith docs tutorial'],
    );
  const found = await findRoot(io.cwd);
  if (!('reason' in found)) return { root: found.root, isNew: false };
  if (found.reason === 'root_not_found') return { root: (await mainWorktreeOf(top)) ?? top, isNew: true };
  throw new RoboSmithError('usage', `${found.message}.`, { next: ['robosmith doctor'] });
}

/**
 * The rule that keeps the state out of git. It matches the content of the folder and not the folder itself, so that the
 * rules of `robosmith init`, which track two files of it, work later.
 */
const RULE = '/.flow/*';

/** Adds the rule to the excludes of this clone, which are no part of the checkout. */
async function exclude(root: string): Promise<void> {
  const git = await gitFoldersOf(root);
  if (git === null) return;
  const file = path.join(git.common, 'info', 'exclude');
  const present = await readFile(file, 'utf8').catch((error: unknown) => {
    if (systemCode(error) === 'ENOENT') return '';
    throw error;
  });
  if (present.split(/\r?\n/).some((line) => line.trim() === RULE)) return;
  await mkdir(path.dirname(file), { recursive: true });
  await appendFile(file, `${present === '' || present.endsWith('\n') ? '' : '\n'}${RULE}\n`);
}

/** Creates the folder for the state of runs if there is none, and keeps it out of git. Changes no other file. */
export async function makePlace({ root, isNew }: DoPlace): Promise<void> {
  if (!isNew) return;
  await checkMayInit(root, '.flow');
  try {
    await exclude(root);
    await mkdir(path.join(root, ...CALLS_WITHOUT_VISION.split('/')), { recursive: true });
  } catch (error) {
    throw ioError(`.flow can't be made in ${root} (${systemCode(error)}).`, ['robosmith doctor'], error);
  }
}
