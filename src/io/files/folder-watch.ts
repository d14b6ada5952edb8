import fs from 'node:fs';
import type { FolderWatch } from '#protocol/control.ts';

/**
 * The interval in milliseconds of additional polling, since no events arrive for network disks, for recreated folders,
 * or when the inotify watch limit is reached.
 */
const POLL_MS = 500;

/** Starts the system's file watcher; returns null where the folder can't be watched. */
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
