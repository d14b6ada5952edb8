import { readIfThere } from '#io/files/durable-file.ts';
import type { TaskProblem } from '#protocol/task-tree.ts';
import { findBackup, keepBackups } from './backups.ts';
import type { StatusMeta } from './status-meta.ts';
import { hashOf, type TaskPlace } from './task-place.ts';
import { replaceIf, type Write } from './write-files.ts';

/** The maximum number of tries; each failed one means that somebody saved the file meanwhile. */
const MOST_TRIES = 20;

/** Writes a file; false if another program saves it again at every try. */
async function restoreFile(place: TaskPlace, write: Write): Promise<boolean> {
  for (let tries = 1; tries <= MOST_TRIES; tries += 1) {
    const now = readIfThere(place.calls, await place.locate(write.file));
    if (now !== null) await keepBackups(place, write.file, [now]);
    if (await replaceIf(place, write, now === null ? undefined : hashOf(now))) return true;
  }
  return false;
}

/** Restores these files to what the engine wrote or accepted last: all, or none if a backup is missing. */
export async function restoreFiles(
  place: TaskPlace,
  changed: readonly string[],
  { files: known }: StatusMeta,
): Promise<readonly string[] | TaskProblem> {
  const writes: Write[] = [];
  for (const file of changed) {
    const bytes = await findBackup(place, file, known[file]?.sha256 ?? '');
    const message = 'there is no backup, so nothing was restored: accept the file as it is';
    if (bytes === null) return { code: 'tasks_no_backup', message, file, line: null };
    writes.push({ file, bytes });
  }
  for (const [index, write] of writes.entries())
    if (!(await restoreFile(place, write))) {
      const before = changed.slice(0, index).join(', ');
      const message = `another program keeps saving it: try again${before === '' ? '' : `; restored so far: ${before}`}`;
      return { code: 'tasks_changed', message, file: write.file, line: null };
    }
  return changed;
}
