import { chmod, copyFile, mkdir, rename, rm, stat, symlink, utimes } from 'node:fs/promises';
import { type Entry, entryAt, type Key, placeOf } from './entries.ts';
import type { Change } from './find-changes.ts';
import { copyIn, type FolderSnapshot } from './snapshot.ts';

const parentOf = (key: Key): Key => key.slice(0, Math.max(key.lastIndexOf('/'), 0));

/** Returns the keys of all folders above an entry, the topmost first. */
function foldersTo(key: Key): readonly Key[] {
  const parts = key.split('/').slice(0, -1);
  return parts.map((_, index) => parts.slice(0, index + 1).join('/'));
}

const depth = (key: Key): number => key.split('/').length;

interface RestorePlace {
  readonly kept: FolderSnapshot;
  /** The folder of the watch, which holds the copies of files. */
  readonly folder: string;
  /** The folder that receives the agent's versions of the files. */
  readonly rescue: string;
}

/** Moves the agent's version of a file to the rescue folder, so that no written content is lost. */
async function moveAway({ kept, rescue }: RestorePlace, key: Key, now: Entry): Promise<void> {
  const place = placeOf(kept.root, key);
  if (now.kind === 'other') return rm(place, { force: true });
  const target = placeOf(rescue, key);
  const parent = parentOf(key);
  await mkdir(parent === '' ? rescue : placeOf(rescue, parent), { recursive: true });
  try {
    await rename(place, target);
  } catch (thrown) {
    const isElsewhere = thrown instanceof Error && 'code' in thrown && thrown.code === 'EXDEV';
    if (!isElsewhere) throw thrown;
    // A folder can't be renamed across file systems; its entries are moved one by one instead.
    if (now.kind === 'folder') return;
    if (now.kind === 'link') await symlink(Buffer.from(now.target ?? '', 'latin1'), target);
    else await copyFile(place, target);
    await rm(place, { force: true });
  }
}

/**
 * Creates the folders above an entry. Returns false if a link or file is in the place of one of them, so that nothing
 * is written through a link that an agent made.
 */
async function makeFolders({ kept }: RestorePlace, key: Key): Promise<boolean> {
  for (const folder of foldersTo(key)) {
    const place = placeOf(kept.root, folder);
    const found = await entryAt(place);
    if (found !== null && found.kind !== 'folder') return false;
    if (found !== null) continue;
    await mkdir(place);
    const mode = kept.entries.get(folder)?.mode;
    if (mode !== undefined) await chmod(place, mode);
  }
  return true;
}

/** Matches the names of the files that `restoreFile` writes beside their targets. */
export const RESTORING = /^\.robosmith-back-\d{1,9}$/;

async function restoreFile({ kept, folder }: RestorePlace, key: Key, before: Entry): Promise<boolean> {
  const copy = kept.copies.get(key);
  if (copy === undefined) return false;
  const place = placeOf(kept.root, key);
  const parent = parentOf(key);
  const beside = placeOf(kept.root, `${parent === '' ? '' : `${parent}/`}.robosmith-back-${copy}`);
  await copyFile(copyIn(folder, copy), beside);
  await chmod(beside, before.mode);
  const time = before.modifiedAt / 1_000;
  await utimes(beside, time, time);
  await rename(beside, place);
  return true;
}

async function restore(putting: RestorePlace, key: Key, before: Entry): Promise<boolean> {
  if (!(await makeFolders(putting, key))) return false;
  const place = placeOf(putting.kept.root, key);
  switch (before.kind) {
    case 'folder':
      if ((await entryAt(place)) === null) await mkdir(place);
      await chmod(place, before.mode);
      return true;
    case 'link':
      await symlink(Buffer.from(before.target ?? '', 'latin1'), place);
      return true;
    case 'file':
      return restoreFile(putting, key, before);
    case 'other':
      return false;
  }
}

/**
 * Returns whether the copy of a file exists with the recorded size. The copy may be missing, since an agent can access
 * the folder of the copies.
 */
async function hasCopy({ kept, folder }: RestorePlace, key: Key, { size }: Entry): Promise<boolean> {
  const copy = kept.copies.get(key);
  const found = copy === undefined ? null : await stat(copyIn(folder, copy)).catch(() => null);
  return found?.isFile() === true && found.size === size;
}

async function putOneBack(putting: RestorePlace, { key, what, before, now }: Change): Promise<boolean> {
  const place = placeOf(putting.kept.root, key);
  if (what === 'mode' && before !== null) {
    await chmod(place, before.mode);
    return true;
  }
  // Without a copy the changed file stays in place, since removing it would lose both versions.
  if (before?.kind === 'file' && !(await hasCopy(putting, key, before))) return false;
  const there = await entryAt(place);
  if (now !== null && there !== null) await moveAway(putting, key, there);
  return before === null || restore(putting, key, before);
}

/**
 * Sorts changes so that added or changed entries are moved away before missing ones are restored, each group from the
 * top down.
 */
const order = (changes: readonly Change[]): readonly Change[] =>
  changes.toSorted(
    (one, other) => Number(one.now === null) - Number(other.now === null) || depth(one.key) - depth(other.key),
  );

/** Reverts the changes; returns the keys of those that could not be reverted. */
export async function restoreChanges(putting: RestorePlace, changes: readonly Change[]): Promise<ReadonlySet<Key>> {
  const left = new Set<Key>();
  for (const change of order(changes)) {
    const done = await putOneBack(putting, change).catch(() => false);
    if (!done) left.add(change.key);
  }
  return left;
}
