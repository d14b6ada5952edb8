import type { Trespass } from '#protocol/agent.ts';
import { type Entry, type Key, placeOf } from './entries.ts';
import { sameContent } from './same-content.ts';
import { copyIn, type FolderSnapshot } from './snapshot.ts';

export interface Change {
  readonly key: Key;
  readonly what: Exclude<Trespass['what'], 'moved' | 'staged'>;
  readonly before: Entry | null;
  readonly now: Entry | null;
}

async function isSameFile(kept: FolderSnapshot, folder: string, key: Key, before: Entry, now: Entry): Promise<boolean> {
  if (before.print === now.print) return true;
  const copy = kept.copies.get(key);
  return copy !== undefined && before.size === now.size && sameContent(placeOf(kept.root, key), copyIn(folder, copy));
}

async function changeOf(
  kept: FolderSnapshot,
  folder: string,
  key: Key,
  now: Entry | null,
): Promise<Change['what'] | null> {
  const before = kept.entries.get(key) ?? null;
  if (before === null) return now === null ? null : 'added';
  if (now === null) return 'removed';
  if (before.kind !== now.kind || before.target !== now.target) return 'changed';
  if (before.kind === 'file' && !(await isSameFile(kept, folder, key, before, now))) return 'changed';
  // The permissions of a symbolic link have no effect.
  return before.kind !== 'link' && before.mode !== now.mode ? 'mode' : null;
}

/**
 * Returns the differences between the recorded state of a folder and its current entries, sorted by key. `folder` has
 * the copies of the recorded files.
 */
export async function findChanges(
  kept: FolderSnapshot,
  folder: string,
  present: ReadonlyMap<Key, Entry>,
): Promise<readonly Change[]> {
  const changes: Change[] = [];
  const keys = [...new Set([...kept.entries.keys(), ...present.keys()])].sort();
  for (const key of keys) {
    const now = present.get(key) ?? null;
    const what = await changeOf(kept, folder, key, now);
    if (what !== null) changes.push({ key, what, before: kept.entries.get(key) ?? null, now });
  }
  return changes;
}
