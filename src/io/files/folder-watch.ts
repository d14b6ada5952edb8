import fs from 'node:fs';
import type { FolderWatch } from '#protocol/control.ts';

/** Network disks, full inotify tables and folders that are made anew tell nothing: so we look ourselves, too. */
const POLL_MS = 500;

/** What the system tells; null where it can't. */
function listen(folder: string, onChange: () => void): fs.FSWatcher | null {
  try {
    const watcher = fs.watch(folder, { persistent: false }, onChange);
    return watcher.on('error', () => watcher.close());
  } catch {
    return null;
  }
}

export const folderWatch: FolderWatch = {
  watch: (folder, onChange) => {
    const watcher = listen(folder, onChange);
    const poll = setInterval(onChange, POLL_MS).unref();
    const first = setImmediate(onChange).unref();
    return () => {
      watcher?.close();
      clearInterval(poll);
      clearImmediate(first);
    };
  },
};
