import { setImmediate } from 'node:timers/promises';
import type { FileSet } from './file-set.ts';
import { type FileChanges, findChanges, findChangesAmong } from './find-changes.ts';
import { createIgnoreRules } from './ignore-rules.ts';
import { listFiles } from './list-files.ts';
import { createWatcher, type Watcher } from './watcher.ts';

/** Applies changes to the file set: parses changed files and removes deleted ones. */
type ApplyChanges = (changes: FileChanges) => Promise<void>;

export interface Freshener {
  /** Resolves when the file set reflects every write that ended before this call. */
  readonly freshen: () => Promise<void>;
  /** Marks files that may differ from the index, so that the next refresh compares them with the files on disk. */
  readonly doubt: (paths: Iterable<string>) => void;
  /** Makes the next refresh compare all files with the disk. */
  readonly doubtAll: () => void;
  readonly watcher: Watcher;
}

const parents = (paths: Iterable<string>): Set<string> => {
  const folders = new Set<string>(['']);
  for (const path of paths)
    for (let slash = path.lastIndexOf('/'); slash > 0; slash = path.lastIndexOf('/', slash - 1)) {
      const folder = path.slice(0, slash);
      if (folders.has(folder)) break;
      folders.add(folder);
    }
  return folders;
};

interface Doubts {
  readonly paths: Set<string>;
  all: boolean;
}

/**
 * Maximum number of passes per refresh, since files can change during a pass. Files that keep changing are left to the
 * next query.
 */
const MAX_ROUNDS = 4;
/**
 * Maximum time in milliseconds between two comparisons of all files, on systems where file system events arrive late
 * (all except Linux).
 */
const SWEEP_INTERVAL_MS = 1_000;
const eventsAreImmediate = process.platform === 'linux';

/**
 * Lists the files of the worktree. The first call also starts the watcher, and returns only if no file was created
 * unnoticed between the listing and the start of the watch on its folder.
 */
async function listAll(root: string, watcher: Watcher, watch: boolean): Promise<readonly string[]> {
  if (!watch || watcher.state() !== 'off') return listFiles(root);
  const starting = watcher.start();
  const [listed, seen] = await Promise.all([listFiles(root), starting]);
  const known = new Set(listed);
  const rules = createIgnoreRules(root);
  const isComplete = seen.every((path) => known.has(path) || rules.excludes(path, false));
  return isComplete ? listed : listFiles(root);
}

async function round(
  root: string,
  files: FileSet,
  doubts: Doubts,
  watcher: Watcher,
  watch: boolean,
  apply: ApplyChanges,
): Promise<void> {
  const among = [...doubts.paths];
  doubts.paths.clear();
  if (!doubts.all && among.every((path) => files.get(path) !== undefined)) {
    await apply(findChangesAmong(root, among, files));
    return;
  }
  doubts.all = false;
  const listed = await listAll(root, watcher, watch);
  watcher.cover(parents(listed));
  await apply(findChanges(root, listed, files));
}

/**
 * Keeps a file set up to date with the disk: uses file system events where these are reliable, else compares all files.
 * Without `watch`, it always compares all files.
 */
export function createFreshener(root: string, files: FileSet, watch: boolean, apply: ApplyChanges): Freshener {
  const doubts: Doubts = { paths: new Set(), all: true };
  const watcher = createWatcher(root, {
    onPath: (path) => doubts.paths.add(path),
    onUnknown: () => {
      doubts.all = true;
    },
  });
  let sweptAt = 0;
  const work = async (): Promise<void> => {
    if (eventsAreImmediate) {
      // Two turns of the event loop deliver all file system events that the kernel has queued so far.
      await setImmediate();
      await setImmediate();
    }
    const isLate = !eventsAreImmediate && Date.now() - sweptAt > SWEEP_INTERVAL_MS;
    if (watcher.state() !== 'watching' || isLate) doubts.all = true;
    for (let rounds = 0; rounds < MAX_ROUNDS && (doubts.all || doubts.paths.size > 0); rounds += 1) {
      if (doubts.all) sweptAt = Date.now();
      await round(root, files, doubts, watcher, watch, apply);
    }
  };
  return {
    freshen: oneAtATime(work),
    doubt: (paths) => {
      for (const path of paths) doubts.paths.add(path);
    },
    doubtAll: () => {
      doubts.all = true;
    },
    watcher,
  };
}

/**
 * Wraps a task so that it never runs concurrently with itself. All calls made during a run share one further run, which
 * starts after the current one.
 */
function oneAtATime(work: () => Promise<void>): () => Promise<void> {
  let running: Promise<void> | null = null;
  let waiting: Promise<void> | null = null;
  const start = (): Promise<void> => {
    const made = work().finally(() => {
      running = null;
    });
    running = made;
    return made;
  };
  return () => {
    if (running === null) return start();
    waiting ??= running
      .catch(() => undefined)
      .then(() => {
        waiting = null;
        return start();
      });
    return waiting;
  };
}
