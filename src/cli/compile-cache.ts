import { existsSync, mkdirSync, readdirSync, rmSync, statSync } from 'node:fs';
import module from 'node:module';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { userFolders } from '#protocol/user-folders.ts';

const WEEK_MS = 7 * 24 * 3_600_000;

/** Returns a name that differs for each build, since Node never removes old entries. */
function buildName(): string {
  const { size, mtimeMs } = statSync(fileURLToPath(import.meta.url));
  return `${size.toString(36)}-${Math.trunc(mtimeMs).toString(36)}`;
}

/** Removes caches of other builds; a process that still uses one compiles its modules again. */
function removeOld(all: string, now: number): void {
  for (const name of readdirSync(all)) {
    const folder = path.join(all, name);
    if (statSync(folder).mtimeMs < now - WEEK_MS) rmSync(folder, { recursive: true, force: true });
  }
}

/** Returns whether only the user can write to the folder: Node executes cached code without checking its owner. */
function isOwn(folder: string): boolean {
  if (process.getuid === undefined) return true;
  const { uid, mode } = statSync(folder);
  return uid === process.getuid() && (mode & 0o022) === 0;
}

/**
 * Lets Node cache compiled modules in the user's cache folder, which saves a fifth of a command's start time. Without
 * such a folder, or with NODE_DISABLE_COMPILE_CACHE=1, modules are compiled each time.
 */
export function keepCompiled(now: number): void {
  // The user has already set a cache folder, which other programs use as well.
  if (module.getCompileCacheDir() !== undefined) return;
  try {
    const all = path.join(userFolders(process.platform, os.homedir, process.env).cache, 'compiled');
    const own = path.join(all, buildName());
    const isNew = !existsSync(own);
    mkdirSync(own, { recursive: true, mode: 0o700 });
    if (![all, own].every(isOwn)) return;
    module.enableCompileCache(own);
    if (isNew) removeOld(all, now);
  } catch {
    // Errors are ignored, because the cache is optional.
  }
}
