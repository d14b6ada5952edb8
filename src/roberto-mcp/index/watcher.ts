import { type FSWatcher, existsSync, lstatSync, watch } from 'node:fs';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { gitFolder } from '../store/cache-place.ts';
import { createIgnoreRules, isNeverIndexed } from './ignore-rules.ts';
import { foldersBelow } from './list-files.ts';

export type WatcherState = 'off' | 'starting' | 'watching' | 'failed';

/** Callbacks for file system changes. */
interface WatcherEvents {
  /** Called when a file may have been changed, created or deleted. The path is relative to the root. */
  readonly onPath: (path: string) => void;
  /** Called when files may have changed without an event that names them, so that all files must be compared. */
  readonly onUnknown: () => void;
}

export interface Watcher {
  readonly state: () => WatcherState;
  /** The reason why no events are delivered, or null. */
  readonly problem: () => string | null;
  /**
   * Starts watching. Resolves with the files that were seen after their folder was being watched, ignored files
   * included: a file that a listing made meanwhile lacks is among them. Resolves with an empty list where a single watch
   * covers the whole tree from the start.
   */
  readonly start: () => Promise<readonly string[]>;
  /** Starts to watch further folders, given relative to the root. */
  readonly cover: (folders: Iterable<string>) => void;
  readonly folders: () => number;
  readonly close: () => void;
}

/**
 * Number of events per turn of the event loop above which events may have been lost: inotify silently drops events when
 * 16,384 are queued.
 */
const EVENTS_BEFORE_DOUBT = 4_000;
/**
 * Maximum number of folders that are added to the watch per turn of the event loop, so that queries are not blocked.
 */
const FOLDERS_A_TURN = 500;

const recursive = process.platform === 'darwin' || process.platform === 'win32';

/** One file system watch per folder. On Linux (inotify), the kernel queues the event before the write returns. */
interface FolderWatches {
  readonly add: (folder: string) => boolean;
  readonly drop: (folder: string) => void;
  readonly has: (folder: string) => boolean;
  readonly size: () => number;
  readonly close: () => void;
}

function folderWatches(
  root: string,
  onEvent: (folder: string, name: string) => void,
  onFail: (error: Error) => void,
): FolderWatches {
  const watches = new Map<string, FSWatcher>();
  return {
    add: (folder) => {
      if (watches.has(folder)) return false;
      try {
        const made = watch(join(root, folder), { persistent: false }, (_, name) => onEvent(folder, name ?? ''));
        made.on('error', () => watches.delete(folder));
        watches.set(folder, made);
        return true;
      } catch (error) {
        const code = error instanceof Error && 'code' in error ? error.code : '';
        if (code !== 'ENOENT' && code !== 'ENOTDIR' && error instanceof Error) onFail(error);
        return false;
      }
    },
    drop: (folder) => {
      for (const [path, made] of watches) {
        if (path !== folder && !path.startsWith(`${folder}/`)) continue;
        made.close();
        watches.delete(path);
      }
    },
    has: (folder) => watches.has(folder),
    size: () => watches.size,
    close: () => {
      for (const made of watches.values()) made.close();
      watches.clear();
    },
  };
}

const isFolder = (path: string): boolean => lstatSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;

interface EventCount {
  readonly note: () => void;
}

/** Reports possible event loss once per turn of the event loop, if the turn delivers too many events. */
function countEvents(onUnknown: () => void): EventCount {
  let count = 0;
  return {
    note: () => {
      count += 1;
      if (count === 1) void setImmediate().then(() => (count = 0));
      if (count === EVENTS_BEFORE_DOUBT) onUnknown();
    },
  };
}

function watchGitFolder(root: string, onUnknown: () => void): FSWatcher | null {
  const folder = gitFolder(root);
  if (folder === null || !existsSync(folder)) return null;
  try {
    const made = watch(folder, { persistent: false }, (_, name) => {
      if (name === 'index' || name === 'HEAD') onUnknown();
    });
    made.on('error', () => made.close());
    return made;
  } catch {
    return null;
  }
}

function watchTree(root: string, events: WatcherEvents, fail: (error: Error) => void): FSWatcher {
  const made = watch(root, { recursive: true, persistent: false }, (_, name) => {
    if (name === null) events.onUnknown();
    else events.onPath(name.replaceAll('\\', '/'));
  });
  made.on('error', fail);
  return made;
}

/** Creates the watcher of a worktree. If watching fails (state `failed`), queries compare all files instead. */
export function createWatcher(root: string, events: WatcherEvents): Watcher {
  let state: WatcherState = 'off';
  let problem: string | null = null;
  let git: FSWatcher | null = null;
  let tree: FSWatcher | null = null;
  const count = countEvents(events.onUnknown);
  const fail = (error: Error): void => {
    state = 'failed';
    problem = `${error.message}. Queries compare all files with the disk instead.`;
    watches.close();
    tree?.close();
  };
  const onEvent = (folder: string, name: string): void => {
    count.note();
    if (state === 'failed' || name === '' || isNeverIndexed(name)) return;
    const path = folder === '' ? name : `${folder}/${name}`;
    const known = watches.has(path);
    if (known) watches.drop(path);
    if (isFolder(join(root, path))) {
      enter(path);
      events.onUnknown();
    } else if (known || name === '.gitignore') events.onUnknown();
    else events.onPath(path);
  };
  const watches = folderWatches(root, onEvent, fail);
  const enter = (folder: string): void => {
    const rules = createIgnoreRules(root);
    if (rules.excludes(folder, true) || existsSync(join(root, folder, '.git'))) return;
    for (const below of foldersBelow(root, folder, rules, watches.add)) if (below.isNested) watches.drop(below.folder);
  };
  const startFolders = async (): Promise<readonly string[]> => {
    const seen: string[] = [];
    let read = 0;
    // The caller starts a listing in this turn: it runs while the folders are read.
    await setImmediate();
    for (const { folder, isNested, files, links } of foldersBelow(root, '', createIgnoreRules(root), watches.add)) {
      if (isNested) watches.drop(folder);
      seen.push(...files, ...links);
      read += 1;
      if (read % FOLDERS_A_TURN === 0) await setImmediate();
      if (state !== 'starting') return seen;
    }
    state = 'watching';
    return seen;
  };
  return {
    state: () => state,
    problem: () => problem,
    start: async () => {
      if (state !== 'off') return [];
      state = 'starting';
      git = watchGitFolder(root, events.onUnknown);
      if (!recursive) return startFolders();
      try {
        tree = watchTree(root, events, fail);
        state = 'watching';
      } catch (error) {
        fail(error instanceof Error ? error : new Error(String(error)));
      }
      return [];
    },
    cover: (folders) => {
      if (recursive || state !== 'watching') return;
      for (const folder of folders) if (watches.add(folder)) events.onUnknown();
    },
    folders: () => watches.size(),
    close: () => {
      state = 'off';
      watches.close();
      git?.close();
      tree?.close();
    },
  };
}
