import { lstatSync, readdirSync } from 'node:fs';
import { rm, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { newId } from '../../clock/identity.ts';
import { createTurnBudget } from '../../clock/turn-budget.ts';
import type { Git } from '../plumbing/git.ts';
import { gitFoldersOf } from '../plumbing/git-folders.ts';
import { zeroSplit } from '../plumbing/quiet-git.ts';
import { type Entry, entryAt, type Key, placeOf } from './entries.ts';

/*
 * Folders such as `node_modules` that the set-up of a worktree has filled. Copying their files before each block would
 * take longer than the block. The set-up can make them again, so they are watched without copies: only their names are
 * recorded, and the change time says which of them were written during the watch. No program can set the change time
 * of a file to the past.
 */

/** The file in a worktree's git folder whose change time is the end of the worktree's set-up. */
const MARK = 'robosmith-set-up';

/** An ignored folder with more files than this counts as filled by a tool, unless as many have changed since. */
const MANY = 500;

/** An ignored folder, and the files in it that nothing has changed since the set-up. */
interface SetUpFolder {
  readonly key: Key;
  readonly files: ReadonlySet<Key>;
}

export interface SetUpSnapshot {
  /** The time of the file system at which the watch began, in milliseconds. */
  readonly since: number;
  readonly folders: readonly SetUpFolder[];
}

/** Records that a worktree has been set up: its ignored files are those that its `setup` made or carried along. */
export async function markSetUp(worktree: string): Promise<void> {
  const folders = await gitFoldersOf(worktree);
  if (folders !== null) await writeFile(path.join(folders.own, MARK), '');
}

/** Returns the ignored folders of a worktree, without those inside of them. */
async function ignoredFolders(git: Git, root: string): Promise<readonly Key[]> {
  const args = ['ls-files', '-z', '--others', '--ignored', '--exclude-standard', '--directory'];
  const listed = await git(root, args);
  const folders = listed.ok ? zeroSplit(listed.out).filter((name) => name.endsWith('/')) : [];
  return folders.map((name) => Buffer.from(name.slice(0, -1), 'utf8').toString('latin1'));
}

/** Returns the current time of the file system, whose clock may differ from that of this machine. */
async function timeIn(folder: string): Promise<number> {
  const file = path.join(folder, `${MARK}-${newId(6)}`);
  await writeFile(file, '');
  const { ctimeMs } = await stat(file);
  await rm(file, { force: true });
  return ctimeMs;
}

const ASCII = /^[ -~]*$/;

/**
 * Calls a function with each file in a folder and the time of its last change. The time of a file with several names
 * is infinite, because a change of its other names would change it as well.
 */
async function eachFile(root: string, folder: Key, found: (key: Key, changedMs: number) => void): Promise<void> {
  const turn = createTurnBudget();
  // A path of ASCII characters is its own key, and text is faster than bytes.
  const pathOf = (key: Key): string | Buffer => (ASCII.test(key) ? `${root}/${key}` : placeOf(root, key));
  const visit = async (inside: Key): Promise<void> => {
    const place = pathOf(inside);
    const names = typeof place === 'string' ? readdirSync(place) : [];
    const isPlain = typeof place === 'string' && names.every((name) => ASCII.test(name));
    for (const name of isPlain ? names : readdirSync(place, { encoding: 'latin1' })) {
      const key = `${inside}/${name}`;
      const seen = lstatSync(isPlain ? `${root}/${key}` : placeOf(root, key), { throwIfNoEntry: false });
      if (seen?.isDirectory() === true) await visit(key);
      else if (seen !== undefined) found(key, seen.nlink > 1 ? Infinity : seen.ctimeMs);
    }
    const pause = turn();
    if (pause !== null) await pause;
  };
  if (lstatSync(pathOf(folder), { throwIfNoEntry: false })?.isDirectory() === true) await visit(folder);
}

/** The begin of a watch: the folders without copies, and the entries in them that are copied like other files. */
interface SetUpBegin {
  readonly setUp: SetUpSnapshot;
  readonly others: ReadonlyMap<Key, Entry>;
}

const NONE: SetUpBegin = { setUp: { since: 0, folders: [] }, others: new Map() };

export async function beginSetUp(git: Git, root: string): Promise<SetUpBegin> {
  const own = (await gitFoldersOf(root))?.own;
  const mark = own === undefined ? null : await stat(path.join(own, MARK)).catch(() => null);
  if (own === undefined || mark === null) return NONE;
  const since = await timeIn(own);
  const folders: SetUpFolder[] = [];
  const others = new Map<Key, Entry>();
  for (const key of await ignoredFolders(git, root)) {
    const files = new Set<Key>();
    const late: Key[] = [];
    await eachFile(root, key, (one, changed) => {
      if (changed <= mark.ctimeMs && changed < since) files.add(one);
      else late.push(one);
    });
    if (files.size <= MANY || late.length > MANY) continue;
    folders.push({ key, files });
    for (const one of late) {
      const entry = await entryAt(placeOf(root, one));
      if (entry !== null) others.set(one, entry);
    }
  }
  return { setUp: { since, folders }, others };
}

async function missing(root: string, folder: Key, files: ReadonlySet<Key>): Promise<ReadonlySet<Key>> {
  const left = new Set(files);
  await eachFile(root, folder, (one) => void left.delete(one));
  return left;
}

/** Stands for a file of which only the name was recorded. */
const RECORDED: Entry = { kind: 'file', mode: 0, size: 0, print: 'set-up', modifiedAt: 0, target: null };

/** The differences in folders without copies, as entries before and after. */
interface SetUpEnd {
  readonly before: Map<Key, Entry>;
  readonly now: Map<Key, Entry>;
}

/** `entries` are those that were recorded completely at the beginning. */
export async function endSetUp(
  { since, folders }: SetUpSnapshot,
  root: string,
  entries: ReadonlyMap<Key, Entry>,
): Promise<SetUpEnd> {
  const before = new Map<Key, Entry>();
  const changed: Key[] = [];
  for (const { key, files } of folders) {
    let seen = 0;
    await eachFile(root, key, (one, changedMs) => {
      const isKnown = files.has(one);
      if (isKnown) seen += 1;
      if (isKnown && changedMs < since) return;
      changed.push(one);
      if (isKnown) before.set(one, RECORDED);
    });
    if (seen < files.size) for (const one of await missing(root, key, files)) before.set(one, RECORDED);
  }
  const now = new Map<Key, Entry>();
  for (const key of changed) {
    const entry = await entryAt(placeOf(root, key));
    if (entry !== null) now.set(key, entry);
  }
  for (const key of before.keys()) if (entries.has(key)) before.delete(key);
  return { before, now };
}

/** Returns a function that says whether an entry is in one of the folders. */
export const isInSetUp =
  ({ folders }: SetUpSnapshot) =>
  (key: Key): boolean =>
    folders.some((one) => key.startsWith(`${one.key}/`));
