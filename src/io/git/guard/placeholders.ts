import { rm, rmdir } from 'node:fs/promises';
import { type Entry, entryAt, type Key, placeOf } from './entries.ts';
import type { Change } from './find-changes.ts';

const parentOf = (key: Key): Key => key.slice(0, Math.max(key.lastIndexOf('/'), 0));

const isEmpty = ({ kind, size }: Entry): boolean =>
  kind === 'folder' || kind === 'other' || (kind === 'file' && size === 0);

/**
 * Returns the keys of new entries without any content: empty files, devices, and folders that hold nothing else.
 * Sandboxes put such placeholders in the place of files that a program must not see, and leave them when they are killed.
 */
export function placeholdersIn(changes: readonly Change[]): ReadonlySet<Key> {
  const added = changes.filter(({ what }) => what === 'added');
  const full = new Set<Key>();
  for (const { key, now } of added) {
    if (now === null || isEmpty(now)) continue;
    for (let at = key; at !== ''; at = parentOf(at)) full.add(at);
  }
  return new Set(added.map(({ key }) => key).filter((key) => !full.has(key)));
}

/**
 * Returns whether an entry without content is a placeholder also where the block may write. Sandboxes create their mount
 * points as files without write permission, which no program makes for itself, and as hidden folders.
 */
export const isMountPoint = ({ key, now }: Change): boolean =>
  now !== null && (now.kind === 'folder' ? key.startsWith('.') : now.kind === 'other' || (now.mode & 0o222) === 0);

/**
 * Removes placeholders, the deepest first, and returns the keys of those that are gone. What has content after all stays:
 * a folder, for example, whose content is not listed, such as `.git`.
 */
export async function removePlaceholders(root: string, keys: Iterable<Key>): Promise<ReadonlySet<Key>> {
  const gone = new Set<Key>();
  for (const key of [...keys].sort().toReversed()) {
    const place = placeOf(root, key);
    const now = await entryAt(place);
    if (now !== null && isEmpty(now))
      await (now.kind === 'folder' ? rmdir(place) : rm(place, { force: true })).catch(() => undefined);
    if ((await entryAt(place)) === null) gone.add(key);
  }
  return gone;
}
