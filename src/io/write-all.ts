import { randomUUID } from 'node:crypto';
import { link, mkdir, rename, rm, rmdir, stat } from 'node:fs/promises';
import path from 'node:path';
import { RoboSmithError } from '#protocol/error.ts';
import { foldName } from './fold-name.ts';
import { checkPlace, type Identity, openInside } from './open-inside.ts';
import { checkRelativePath, refuse } from './path-rules.ts';
import { safePath } from './safe-path.ts';
import { checkMayBeWritten } from './writable-path.ts';

interface FileContent {
  readonly path: string;
  readonly content: string;
}

interface Target {
  readonly input: string;
  /** Absolute, without links. */
  readonly file: string;
  readonly wanted: FileContent;
  /** Null: there is no such file. */
  readonly mode: number | null;
}

/** Everything beside the targets that must be gone at the end. */
interface Scaffold {
  readonly temporaries: string[];
  /** Folders made for new files, outer ones first. */
  readonly folders: string[];
}

async function findTarget(root: string, wanted: FileContent): Promise<Target> {
  const { path: input } = wanted;
  const file = await safePath(root, input);
  const found = await stat(file).catch(() => null);
  if (found !== null && !found.isFile())
    refuse(input, found.isDirectory() ? 'it is a folder' : 'it is no ordinary file');
  await checkMayBeWritten(root, input, file);
  return { input, file, wanted, mode: found === null ? null : found.mode & 0o7777 };
}

/** Two files of one name can't both be written, nor a file and another one below it; nor can two folders become one elsewhere. */
function checkApart(targets: readonly Target[]): void {
  const files = new Map<string, string>();
  for (const { input, file } of targets) {
    const other = files.get(foldName(file));
    if (other !== undefined) refuse(input, other === input ? 'it is there twice' : `it is the same file as "${other}"`);
    files.set(foldName(file), input);
  }
  const folders = new Map<string, string>();
  for (const { input, file } of targets)
    for (let at = path.dirname(file); at !== path.dirname(at); at = path.dirname(at)) {
      const above = files.get(foldName(at));
      if (above !== undefined) refuse(input, `"${above}" would be its folder`);
      const twin = folders.get(foldName(at)) ?? at;
      if (twin !== at)
        refuse(input, `its folder "${path.basename(at)}" is elsewhere the same as "${path.basename(twin)}"`);
      folders.set(foldName(at), at);
    }
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

interface Staged {
  readonly target: Target;
  readonly from: string;
  /** Of the new content, under whatever name. */
  readonly identity: Identity;
}

/** A new file with this content, where it was meant to be; nothing is written before that is sure. */
async function create(
  input: string,
  file: string,
  content: string | Uint8Array,
  mode: number | null,
): Promise<Identity> {
  const handle = await openInside(input, file, 'create');
  try {
    await handle.writeFile(content);
    if (mode !== null) await handle.chmod(mode);
    return await handle.stat({ bigint: true });
  } finally {
    await handle.close();
  }
}

async function stage(target: Target, scaffold: Scaffold): Promise<Staged> {
  const { input, file, mode } = target;
  const { content } = target.wanted;
  await makeFolder(input, path.dirname(file), scaffold.folders);
  const from = beside(target, scaffold);
  return { target, from, identity: await create(input, from, content, mode) };
}

async function copy(input: string, from: string, to: string, mode: number): Promise<void> {
  const handle = await openInside(input, from, 'read');
  try {
    await create(input, to, await handle.readFile(), mode);
  } finally {
    await handle.close();
  }
}

/** The old content under a second name; null: there was none. */
async function keep(target: Target, scaffold: Scaffold): Promise<string | null> {
  const { input, file, mode } = target;
  if (mode === null) return null;
  const kept = beside(target, scaffold);
  // Not every file system has hard links.
  await link(file, kept).catch(() => copy(input, file, kept, mode));
  return kept;
}

interface Move extends Staged {
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
      await checkPlace(move.target.input, move.target.file, move.identity);
    }
  } catch (thrown) {
    await undoAll(moved, scaffold, thrown);
    throw thrown;
  }
}

async function moveIn(targets: readonly Target[], scaffold: Scaffold): Promise<void> {
  const staged: Staged[] = [];
  for (const target of targets) staged.push(await stage(target, scaffold));
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
