import path from 'node:path';
import { statIfThere } from '#io/files/durable-file.ts';
import { fileCalls } from '#io/files/file-calls.ts';
import { folderWatch } from '#io/files/folder-watch.ts';
import { sessionsFile } from '#actors/session/index.ts';

/** The files whose changes indicate that the project's state has changed. */
const watchedFiles = (folder: string): readonly string[] => [
  sessionsFile(folder),
  path.join(folder, 'logs', 'events.jsonl'),
  path.join(folder, 'engine.lock'),
  path.join(folder, 'overlaps.json'),
];

/**
 * Calls the listener when the state of a project has changed. Keeps no process alive. Returns a function that stops it.
 */
export function watchProject(root: string, onChange: () => void): () => void {
  const folder = path.join(root, '.flow');
  const look = (): string =>
    watchedFiles(folder)
      .map((file) => {
        const found = statIfThere(fileCalls, file);
        return found === null || found === undefined ? '' : JSON.stringify(found);
      })
      .join(' ');
  let last = look();
  return folderWatch.watch(folder, () => {
    const now = look();
    if (now === last) return;
    last = now;
    onChange();
  });
}
