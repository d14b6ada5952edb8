import { randomUUID } from 'node:crypto';
import { chmod, copyFile, link, mkdir, rename, rm, rmdir, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { RoboSmithError } from '#protocol/error.ts';
import { checkRelativePath, refuse, safePath } from './safe-path.ts';

interface FileContent {
  readonly path: string;
  readonly content: string;
}

interface Target {
  readonly input: string;
  /** Absolute, without links. */
  readonly file: string;
  readonly content: string;
  /** Null: there is no such file. */
  readonly mode: number | null;
}

/** Everything beside the targets that must be gone at the end. */
interface Scaffold {
  readonly temporaries: string[];
  /** Folders made for new files, outer ones first. */
  readonly folders: string[];
}

/** What a file is called where case and composition make no difference. */
const fold = (file: string): string => file.normalize('NFC').toLowerCase();

async function findTarget(root: string, { path: input, content }: FileContent): Promise<Target> {
  const file = await safePath(root, input);
  const found = await stat(file).catch(() => null);
  if (found !== null && !found.isFile())
    refuse(input, found.isDirectory() ? 'it is a folder' : 'it is no ordinary file');
  return { input, file, content, mode: found === null ? null : found.mode & 0o7777 };
}

/** Two files of one name can't both be written, nor a file and another one below it. */
function checkApart(targets: readonly Target[]): void {
  const known = new Map<string, string>();
  for (const { input, file } of targets) {
    const other = known.get(fold(file));
    if (other !== undefined) refuse(input, other === input ? 'it is there twice' : `it is the same file as "${other}"`);
    known.set(fold(file), input);
  }
  for (const { input, file } of targets)
    for (let at = path.dirname(fold(file)); at !== path.dirname(at); at = path.dirname(at))
      if (known.has(at)) refuse(input, `"${known.get(at) ?? ''}" would be its folder`);
}

async function makeFolder(input: string, folder: string, made: string[]): Promise<void> {
  const found = await stat(folder).catch(() => null);
  if (found?.isDirectory() === true) return;
  if (found !== null) refuse(input, 'a file is in the place of its folder');
  await makeFolder(input, path.dirname(folder), made);
  // Another branch of the run may make it at the same time.
  if ((await mkdir(folder, { recursive: true })) !== undefined) made.push(folder);
}

const beside = ({ file }: Target, { temporaries }: Scaffold): string => {
  const temporary = path.join(path.dirname(file), `.robosmith-${randomUUID()}.tmp`);
  temporaries.push(temporary);
  return temporary;
};

async function stage(target: Target, scaffold: Scaffold): Promise<string> {
  await makeFolder(target.input, path.dirname(target.file), scaffold.folders);
  const temporary = beside(target, scaffold);
  await writeFile(temporary, target.content, { flag: 'wx' });
  if (target.mode !== null) await chmod(temporary, target.mode);
  return temporary;
}

/** The old content under a second name; null: there was none. */
async function keep(target: Target, scaffold: Scaffold): Promise<string | null> {
  if (target.mode === null) return null;
  const kept = beside(target, scaffold);
  // Not every file system has hard links.
  await link(target.file, kept).catch(() => copyFile(target.file, kept));
  return kept;
}

interface Move {
  readonly target: Target;
  readonly from: string;
  readonly kept: string | null;
}

const undo = ({ target, kept }: Move): Promise<void> =>
  kept === null ? rm(target.file, { force: true }) : rename(kept, target.file);

/** What was moved goes back, the last one first. */
async function undoAll(moved: readonly Move[], { temporaries }: Scaffold, cause: unknown): Promise<void> {
  const lost: Move[] = [];
  for (const move of moved.toReversed()) await undo(move).catch(() => lost.push(move));
  if (lost.length === 0) return;
  for (const { kept } of lost) if (kept !== null) temporaries.splice(temporaries.indexOf(kept), 1);
  const told = lost.map(({ target, kept }) => `"${target.input}"${kept === null ? '' : ` (old content: ${kept})`}`);
  throw new RoboSmithError(
    'io',
    `writing failed halfway, and this could not be put back: ${told.join(', ')}`,
    {},
    cause,
  );
}

/** All of them or none. */
async function moveAll(moves: readonly Move[], scaffold: Scaffold): Promise<void> {
  const moved: Move[] = [];
  try {
    for (const move of moves) {
      await rename(move.from, move.target.file);
      moved.push(move);
    }
  } catch (thrown) {
    await undoAll(moved, scaffold, thrown);
    throw thrown;
  }
}

async function moveIn(targets: readonly Target[], scaffold: Scaffold): Promise<void> {
  const staged: { readonly target: Target; readonly from: string }[] = [];
  for (const target of targets) staged.push({ target, from: await stage(target, scaffold) });
  const moves: Move[] = [];
  for (const one of staged) moves.push({ ...one, kept: await keep(one.target, scaffold) });
  await moveAll(moves, scaffold);
}

const removeTemporaries = ({ temporaries }: Scaffold): Promise<unknown> =>
  Promise.allSettled(temporaries.map((file) => rm(file, { force: true })));

/** Writes all files or none: temp files beside them first, then renames; what fails halfway is taken back. */
export async function writeAll(root: string, files: readonly FileContent[]): Promise<void> {
  for (const { path: input } of files) checkRelativePath(input);
  const targets = await Promise.all(files.map((file) => findTarget(root, file)));
  checkApart(targets);
  const scaffold: Scaffold = { temporaries: [], folders: [] };
  try {
    await moveIn(targets, scaffold);
  } catch (thrown) {
    await removeTemporaries(scaffold);
    // One that is not empty is somebody else's by now.
    for (const folder of scaffold.folders.reverse()) await rmdir(folder).catch(() => undefined);
    throw thrown;
  }
  await removeTemporaries(scaffold);
}
