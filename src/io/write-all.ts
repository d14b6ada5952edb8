import { link, lstat, mkdir, realpath, rename, rm, rmdir, stat } from 'node:fs/promises';
import path from 'node:path';
import { RoboSmithError } from '#protocol/error.ts';
import type { FileToCompare, FileToWrite } from '#protocol/services.ts';
import { checkUnchanged, contentChanged } from './check-unchanged.ts';
import { checkPlace, type Identity, openInside } from './open-inside.ts';
import { checkRelativePath, refuse } from './path-rules.ts';
import { safePath } from './safe-path.ts';
import { takeBack } from './take-back.ts';
import { withWriteLock, writingFolder } from './write-lock.ts';
import { forgetRecord, markDone, type RecordedMove, saveRecord, temporaryName } from './write-record.ts';
import { checkApart, findTarget, type Target } from './write-target.ts';

/*
 * A transaction, and what the next one does for a process that was killed in it (take-back.ts):
 *
 * 1. `plan` names every temporary file and every new folder before it is made. Killed here: they are removed.
 * 2. All new contents are staged beside their files, and the old ones kept under a second name. `moving` says what was staged.
 * 3. Each file is compared with what is expected, and at once replaced by a rename: it is whole old or whole new at any
 *    instant. Killed here: what was moved goes back.
 * 4. `done`. Killed here: temporary files are removed.
 */

/** Where a transaction is: its root, and the folder of its lock and record. */
interface Scene {
  readonly root: string;
  readonly folder: string;
}

/** A target, and the files beside it: of the new content until it is moved, and of the old one. */
interface Planned extends Target {
  readonly from: string;
  readonly kept: string | null;
}

interface Staged extends Planned {
  /** Of the new content, under whatever name. */
  readonly identity: Identity;
  readonly print: RecordedMove['print'];
}

/** Everything that must be gone at the end, or when it fails. */
interface Scaffold {
  readonly temporaries: Set<string>;
  /** Made for new files, outer ones first. */
  readonly folders: readonly string[];
}

function planned(target: Target): Planned {
  const beside = (name: string): string => path.join(path.dirname(target.file), name);
  return { ...target, from: beside(temporaryName()), kept: target.mode === null ? null : beside(temporaryName()) };
}

/** Folders above a file that are not there yet, outer ones first. */
async function missingFolders(input: string, folder: string): Promise<readonly string[]> {
  const found = await stat(folder).catch(() => null);
  if (found?.isDirectory() === true) return [];
  if (found !== null) refuse(input, 'a file is in the place of its folder');
  return [...(await missingFolders(input, path.dirname(folder))), folder];
}

const relativeTo = (root: string, file: string): string => path.relative(root, file).split(path.sep).join('/');

const recorded = (root: string, move: Planned, print: RecordedMove['print']): RecordedMove => ({
  path: relativeTo(root, move.file),
  from: path.basename(move.from),
  kept: move.kept === null ? null : path.basename(move.kept),
  print,
});

/** A new file with this content, where it was meant to be; nothing is written before that is sure. */
async function create(
  input: string,
  file: string,
  content: string | Uint8Array,
  mode: number | null,
): Promise<Pick<Staged, 'identity' | 'print'>> {
  const handle = await openInside(input, file, 'create');
  try {
    await handle.writeFile(content);
    if (mode !== null) await handle.chmod(mode);
    const identity = await handle.stat({ bigint: true });
    const { ino, size, mtimeNs } = identity;
    return { identity, print: { ino: String(ino), size: String(size), mtime: String(mtimeNs) } };
  } finally {
    await handle.close();
  }
}

async function stage(move: Planned): Promise<Staged> {
  const { input, file, mode, from } = move;
  const { content } = move.wanted;
  // Another branch of the run may make it at the same time.
  await mkdir(path.dirname(file), { recursive: true });
  return { ...move, ...(await create(input, from, content, mode)) };
}

async function copy(input: string, from: string, to: string, mode: number | null): Promise<void> {
  const handle = await openInside(input, from, 'read');
  try {
    await create(input, to, await handle.readFile(), mode);
  } finally {
    await handle.close();
  }
}

/** The old content under a second name. */
async function keep({ input, file, mode, kept }: Planned): Promise<void> {
  if (kept === null) return;
  // Not every file system has hard links.
  await link(file, kept).catch(() => copy(input, file, kept, mode));
}

/** What somebody else has saved since stays. */
async function undo({ file, kept, identity }: Staged): Promise<void> {
  const found = await lstat(file, { bigint: true }).catch(() => null);
  if (found !== null && (found.dev !== identity.dev || found.ino !== identity.ino)) return;
  await (kept === null ? rm(file, { force: true }) : rename(kept, file));
}

/** What was moved goes back, the last one first. */
async function undoAll(moved: readonly Staged[], { temporaries }: Scaffold, cause: unknown): Promise<void> {
  const lost: Staged[] = [];
  for (const move of moved.toReversed()) await undo(move).catch(() => lost.push(move));
  if (lost.length === 0) return;
  for (const { kept } of lost) if (kept !== null) temporaries.delete(kept);
  const told = lost.map(({ input, kept }) => `"${input}"${kept === null ? '' : ` (old content: ${kept})`}`);
  throw new RoboSmithError(
    'io',
    `writing failed halfway, and this could not be put back: ${told.join(', ')}`,
    {},
    cause,
  );
}

/** All of them or none. */
async function moveAll(moves: readonly Staged[], scaffold: Scaffold): Promise<void> {
  const moved: Staged[] = [];
  try {
    for (const move of moves) {
      await checkUnchanged(move, move.wanted.expected);
      await rename(move.from, move.file);
      moved.push(move);
      // Another file there by now is a later save of somebody else's.
      await checkPlace(move.input, move.file, move.identity);
    }
  } catch (thrown) {
    await undoAll(moved, scaffold, thrown);
    throw thrown;
  }
}

async function moveIn({ root, folder }: Scene, moves: readonly Planned[], scaffold: Scaffold): Promise<void> {
  const folders = scaffold.folders.map((one) => relativeTo(root, one));
  await saveRecord(folder, 'plan', { moves: moves.map((move) => recorded(root, move, null)), folders });
  const staged: Staged[] = [];
  for (const move of moves) staged.push(await stage(move));
  for (const move of staged) await keep(move);
  await saveRecord(folder, 'moving', { moves: staged.map((move) => recorded(root, move, move.print)), folders });
  await moveAll(staged, scaffold);
  await markDone(folder);
}

const removeTemporaries = ({ temporaries }: Scaffold): Promise<unknown> =>
  Promise.allSettled([...temporaries].map((file) => rm(file, { force: true })));

/** All are looked at before the first is moved; each once more right before its own rename. */
async function compareAll(root: string, targets: readonly Target[], compared: readonly FileToCompare[]): Promise<void> {
  if (targets.length > 1 || compared.length > 0)
    for (const target of targets) await checkUnchanged(target, target.wanted.expected);
  for (const { path: input, expected } of compared)
    await checkUnchanged({ input, file: await safePath(root, input) }, expected);
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
    // One that is not empty is somebody else's by now.
    for (const folder of scaffold.folders.toReversed()) await rmdir(folder).catch(() => undefined);
    throw thrown;
  } finally {
    await forgetRecord(scene.folder);
  }
}

/** Writes all files or none, one transaction at a time below a root. */
export async function writeAll(
  root: string,
  files: readonly FileToWrite[],
  compared: readonly FileToCompare[] = [],
): Promise<void> {
  for (const { path: input } of [...files, ...compared]) checkRelativePath(input);
  const scene = await realpath(root);
  await withWriteLock(scene, async (folder) => {
    // What was read may have been a part of what is now taken back.
    const expecting = [...files, ...compared].find(({ expected }) => expected !== undefined);
    if ((await takeBack(scene, folder)) && expecting !== undefined) throw contentChanged(expecting.path);
    const targets = await Promise.all(files.map((file) => findTarget(scene, file)));
    checkApart(targets);
    await compareAll(scene, targets, compared);
    await write({ root: scene, folder }, targets);
  });
}

/** Takes back what a process that was killed left half written below this root. */
export async function settle(root: string): Promise<void> {
  const real = await realpath(root);
  const left = await lstat(writingFolder(real)).catch(() => null);
  if (left !== null) await withWriteLock(real, (folder) => takeBack(real, folder));
}
