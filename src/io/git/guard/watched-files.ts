import path from 'node:path';
import type { Git } from '../plumbing/git.ts';
import { realPath } from '../../files/real-path.ts';
import { TEMPORARY } from '../../transactions/undo-log.ts';
import { WRITING_FOLDER } from '../../transactions/write-lock.ts';
import { entriesBelow, type Entry, type Key } from './entries.ts';
import { isAsInitMakes } from './new-repository.ts';
import { RESTORING } from './restore-changes.ts';

/** `folder`: the absolute path of the project's `.flow`. */
interface WatchedPlace {
  readonly git: Git;
  readonly folder: string;
}

const REGISTRY = '.flow/flow.registry.json';

/**
 * Returns a function that says whether an entry is ignored because the engine or git writes it. The parts that matter
 * are watched separately (`state-watch.ts`, `git-watch.ts`). In the worktree of a session, the engine writes neither to
 * `.flow` nor to `.vision/logs`.
 */
const skippedIn =
  (isProject: boolean) =>
  (key: Key): boolean =>
    key.startsWith('.git/') ||
    (isProject && ((key.startsWith('.flow/') && key !== REGISTRY) || key === '.vision/logs'));

/** The files in the folder that exists while something is written: its lock, and the undo log of the transaction. */
const IN_WRITING = /^(?:lock(?:\.[0-9a-f-]{36})?|(?:plan|moving|done)\.json|[0-9a-f-]{36}\.tmp)$/;

/**
 * Returns whether an entry belongs to a transaction or a restoration of the engine. Another branch of the run may write
 * in the same folder meanwhile. Any other name is an agent's.
 */
function isScaffold(key: Key, { kind }: Entry): boolean {
  if (kind !== 'file') return key === WRITING_FOLDER && kind === 'folder';
  const [name = '', ...folders] = key.split('/').reverse();
  if (folders.length === 1 && folders[0] === WRITING_FOLDER) return IN_WRITING.test(name);
  return TEMPORARY.test(name) || RESTORING.test(name);
}

/**
 * Lists the files of a worktree. A new `.git` folder is ignored if it is as `git init` makes it, because an agent may do
 * that. Entries for which `isLeftOut` returns true are left out. A `.git` file, which points at another repository, is watched, and so is a folder that replaces it.
 */
export async function filesBelow(
  { git, folder }: WatchedPlace,
  root: string,
  isLeftOut: (key: Key) => boolean,
  before?: ReadonlyMap<Key, Entry>,
): Promise<Map<Key, Entry>> {
  const isProject = (await realPath(path.dirname(folder))) === root;
  const isSkipped = skippedIn(isProject);
  const found = await entriesBelow(root, (key) => isSkipped(key) || isLeftOut(key));
  for (const [key, entry] of found) if (isScaffold(key, entry)) found.delete(key);
  const isNew = before !== undefined && !before.has('.git') && found.get('.git')?.kind === 'folder';
  if (isNew && (await isAsInitMakes(git, path.join(root, '.git')))) found.delete('.git');
  return found;
}
