import { lstat, realpath, rm, rmdir, stat } from 'node:fs/promises';
import path from 'node:path';
import { RoboSmithError } from '#protocol/error.ts';
import { describeSystemError } from '#protocol/system-error.ts';
import type { FilesToWrite, FileToCompare, FileToWrite } from '#protocol/services.ts';
import { checkUnchanged, contentChanged } from './check-unchanged.ts';
import { checkPlace } from '../files/open-inside.ts';
import { checkRelativePath, refuse } from '../files/path-rules.ts';
import { safePath } from '../files/safe-path.ts';
import { renameWithRetries } from './retry-rename.ts';
import { keep, type PlannedMove, planned, stage, type StagedFile } from './stage-file.ts';
import { syncFolders } from '../files/sync-folder.ts';
import { rollBack } from './roll-back.ts';
import { undoMoves } from './undo-moves.ts';
import { withWriteLock, writingFolder } from './write-lock.ts';
import { forgetRecord, markDone, type RecordedMove, saveRecord } from './undo-log.ts';
import { checkApart, findTarget, type Target } from './write-target.ts';

/*
 * The phases of a transaction, and what the next transaction does if the process was killed in one of them
 * (roll-back.ts):
 *
 * 1. `plan` names every temporary file and every new folder before it is created. After a kill: they are removed.
 * 2. All new contents are staged beside their targets, and the old ones are kept under a second name. `moving` records
 * what was staged.
 * 3. Each target is compared with what is expected and at once replaced by a rename, so that it is either old or new at
 * any time. After a kill: the old contents are restored.
 * 4. `done`. After a kill: temporary files are removed.
 *
 * A power loss has the same effects: the contents, the undo log and the names of step 2 are synced before step 3, the
 * names of step 3 before step 4, and step 4 before the caller continues.
 */

/** The place of a transaction: its root, and the folder of its lock and undo log. */
interface Scene {
  readonly root: string;
  readonly folder: string;
}

/** The temporary files that are removed at the end of a transaction, and the folders that are removed if it fails. */
interface Scaffold {
  readonly temporaries: Set<string>;
  /** The folders created for new files, outer ones first. */
  readonly folders: readonly string[];
}

/** Returns the folders above a file that don't exist yet, outer ones first. */
async function missingFolders(input: string, folder: string): Promise<readonly string[]> {
  const found = await stat(folder).catch(() => null);
  if (found?.isDirectory() === true) return [];
  if (found !== null) refuse(input, 'a file has the name of its folder');
  return [...(await missingFolders(input, path.dirname(folder))), folder];
}

const relativeTo = (root: string, file: string): string => path.relative(root, file).split(path.sep).join('/');

const recorded = (root: string, move: PlannedMove, print: RecordedMove['print']): RecordedMove => ({
  path: relativeTo(root, move.file),
  from: path.basename(move.from),
  kept: move.kept === null ? null : path.basename(move.kept),
  print,
});

/** Moves all staged files to their targets. If one fails, the moves before it are undone. */
async function moveAll(moves: readonly StagedFile[], scaffold: Scaffold): Promise<void> {
  const moved: StagedFile[] = [];
  try {
    for (const move of moves) {
      await checkUnchanged(move, move.wanted.expected);
      await renameWithRetries(move.from, move.file);
      moved.push(move);
      // If the path now has another file, another process saved it after our move.
      await checkPlace(move.input, move.file, move.identity);
    }
  } catch (thrown) {
    const { error, kept } = await undoMoves(moved, thrown);
    await syncFolders(moved.map(({ file }) => path.dirname(file)));
    for (const file of kept) scaffold.temporaries.delete(file);
    throw error ?? thrown;
  }
}

async function moveIn({ root, folder }: Scene, moves: readonly PlannedMove[], scaffold: Scaffold): Promise<void> {
  const folders = scaffold.folders.map((one) => relativeTo(root, one));
  await saveRecord(folder, 'plan', { moves: moves.map((move) => recorded(root, move, null)), folders });
  const staged: StagedFile[] = [];
  for (const move of moves) staged.push(await stage(move));
  for (const move of staged) await keep(move);
  await saveRecord(folder, 'moving', { moves: staged.map((move) => recorded(root, move, move.print)), folders });
  const named = [...moves.map(({ file }) => path.dirname(file)), ...scaffold.folders.map((one) => path.dirname(one))];
  await syncFolders([root, folder, ...named]);
  await moveAll(staged, scaffold);
  await syncFolders(moves.map(({ file }) => path.dirname(file)));
  await markDone(folder);
}

const removeTemporaries = ({ temporaries }: Scaffold): Promise<unknown> =>
  Promise.allSettled([...temporaries].map((file) => rm(file, { force: true })));

/**
 * Checks that all files have their expected content before the first file is moved. Each file is checked again right
 * before its own rename.
 */
async function compareAll(root: string, targets: readonly Target[], compared: readonly FileToCompare[]): Promise<void> {
  if (targets.length > 1 || compared.length > 0)
    for (const target of targets) await checkUnchanged(target, target.wanted.expected);
  for (const { path: input, expected } of compared)
    await checkUnchanged({ input, file: await safePath(root, input) }, expected);
}

/** Names the folder of a failed file operation, because the path in the system's message is that of a temporary file. */
function notWritable(root: string, thrown: unknown): unknown {
  const system = describeSystemError(thrown);
  if (system === null) return thrown;
  const folder = path.relative(root, path.dirname(system.path)) || '.';
  return new RoboSmithError('io', `the folder ${folder} can't be written: ${system.why}`, {}, thrown);
}

async function write(scene: Scene, targets: readonly Target[]): Promise<void> {
  const moves = targets.map(planned);
  const folders: string[] = [];
  for (const { input, file } of moves) folders.push(...(await missingFolders(input, path.dirname(file))));
  const scaffold: Scaffold = {
    temporaries: new Set(moves.flatMap(({ from, kept }) => (kept === null ? [from] : [from, kept]))),
    folders: [...new Set(folders)],
  };
  try {
    await moveIn(scene, moves, scaffold);
    await removeTemporaries(scaffold);
  } catch (thrown) {
    await removeTemporaries(scaffold);
    // A folder that is not empty is in use by another process.
    for (const folder of scaffold.folders.toReversed()) await rmdir(folder).catch(() => undefined);
    throw thrown;
  } finally {
    await forgetRecord(scene.folder);
  }
}

async function writeOnce(scene: Scene, { files, compared }: FilesToWrite): Promise<void> {
  for (const { path: input } of [...files, ...compared]) checkRelativePath(input);
  const targets = await Promise.all(files.map((file) => findTarget(scene.root, file)));
  checkApart(targets);
  await compareAll(scene.root, targets, compared);
  if (targets.length > 0) await write(scene, targets);
}

/**
 * Writes all files or none. At most one transaction runs at a time below a root. If a file has changed since the caller
 * read it, `again` is called once, while the lock is held, to get the files to write instead.
 */
export async function writeAll(
  root: string,
  files: readonly FileToWrite[],
  compared: readonly FileToCompare[] = [],
  again?: () => Promise<FilesToWrite | null>,
): Promise<void> {
  for (const { path: input } of [...files, ...compared]) checkRelativePath(input);
  const scene = await realpath(root);
  const inLock = async (folder: string): Promise<void> => {
    try {
      // After a rollback, the content that the caller has read may come from the transaction that was rolled back.
      const expecting = [...files, ...compared].find(({ expected }) => expected !== undefined);
      if ((await rollBack(scene, folder)) && expecting !== undefined) throw contentChanged(expecting.path);
      await writeOnce({ root: scene, folder }, { files, compared });
    } catch (thrown) {
      const planned = RoboSmithError.is(thrown, 'content_changed') ? ((await again?.()) ?? null) : null;
      if (planned === null) throw thrown;
      await writeOnce({ root: scene, folder }, planned);
    }
  };
  try {
    await withWriteLock(scene, inLock);
  } catch (thrown) {
    throw notWritable(scene, thrown);
  }
}

/** Rolls back the transaction of a process that was killed while it wrote below this root, if there is one. */
export async function settle(root: string): Promise<void> {
  const real = await realpath(root);
  const left = await lstat(writingFolder(real)).catch(() => null);
  if (left !== null) await withWriteLock(real, (folder) => rollBack(real, folder));
}
