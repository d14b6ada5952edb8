import { existsSync, globSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { createBlobWriter } from '../store/blob-writer.ts';
import type { CachePlace } from '../store/cache-place.ts';
import { type Overlay, readOverlay } from '../store/overlay-file.ts';

/** Minimum share of unused parse results at which removing them is worth the writes. */
const UNUSED_SHARE = 0.3;
const MIN_UNUSED = 200;
const MAX_REMOVED = 2_000;

const overlaysOf = (folder: string, generation: string): readonly Overlay[] =>
  globSync('worktree-*.bin', { cwd: folder }).flatMap((name) => {
    const path = join(folder, name);
    const overlay = readOverlay(path, generation);
    if (overlay === null) return [];
    if (existsSync(overlay.root)) return [overlay];
    rmSync(path, { force: true });
    return [];
  });

/** Returns true if another live server uses this cache: its most recent parse results may not be listed on disk yet. */
const hasOtherServer = (folder: string): boolean =>
  globSync('server-*', { cwd: folder }).some((name) => {
    const pid = Number(name.slice('server-'.length));
    if (pid === process.pid) return false;
    try {
      process.kill(pid, 0);
      return true;
    } catch (thrown) {
      // A process of another user exists, although this process may not signal it.
      if (thrown instanceof Error && 'code' in thrown && thrown.code === 'EPERM') return true;
      rmSync(join(folder, name), { force: true });
      return false;
    }
  });

/**
 * Deletes parse results that no worktree refers to, if there are many and no other server uses the cache. Returns their
 * number.
 */
export function removeUnused({ folder, database: path }: CachePlace, generation: string): number {
  if (!existsSync(path) || hasOtherServer(folder)) return 0;
  const database = new DatabaseSync(path, { timeout: 1_000 });
  try {
    const all = database
      .prepare('select id from blobs')
      .all()
      .map((row) => Number(row['id']));
    const used = new Set(overlaysOf(folder, generation).flatMap(({ entries }) => entries.map(({ blob }) => blob)));
    const unused = all.filter((id) => !used.has(id));
    if (unused.length < MIN_UNUSED || unused.length < all.length * UNUSED_SHARE) return 0;
    createBlobWriter(database).remove(unused.slice(0, MAX_REMOVED));
    return Math.min(unused.length, MAX_REMOVED);
  } catch {
    return 0;
  } finally {
    database.close();
  }
}
