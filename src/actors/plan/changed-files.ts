import { readIfThere, statIfThere } from '#io/files/durable-file.ts';
import { RoboSmithError } from '#protocol/error.ts';
import type { ReadFile } from './read-tree.ts';
import type { StatusMeta } from './status-meta.ts';
import { hashOf, LARGEST, type TaskPlace } from './task-place.ts';

/**
 * Returns the hash of a file on disk that the plan no longer references or that can't be read as a plan; null if the
 * engine can't have written the file.
 */
async function hashOnDisk({ calls, locate }: TaskPlace, file: string): Promise<string | null> {
  try {
    const at = await locate(file);
    const stat = statIfThere(calls, at);
    if (stat === null || stat.isFolder || stat.size > LARGEST) return null;
    const bytes = readIfThere(calls, at);
    return bytes === null ? null : hashOf(bytes);
  } catch (thrown) {
    if (RoboSmithError.is(thrown, 'unsafe_path')) return null;
    throw thrown;
  }
}

/** Returns the files that differ from what the engine wrote, or was about to write. */
export async function changedFiles(
  place: TaskPlace,
  files: ReadonlyMap<string, ReadFile>,
  { files: known }: StatusMeta,
): Promise<readonly string[]> {
  const changed: string[] = [];
  for (const [file, { sha256, next }] of Object.entries(known)) {
    const hash = files.get(file)?.hash ?? (await hashOnDisk(place, file));
    if (hash !== sha256 && (next === undefined || hash !== next)) changed.push(file);
  }
  return changed;
}
