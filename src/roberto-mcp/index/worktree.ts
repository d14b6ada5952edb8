import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { SkipReason } from '../parse/classify.ts';
import { type BlobReader, createBlobReader } from '../store/blob-reader.ts';
import type { CachePlace } from '../store/cache-place.ts';
import { discardDatabase, openDatabase, type OpenDatabase } from '../store/open-database.ts';
import { readOverlay, writeOverlay } from '../store/overlay-file.ts';
import { createFileSet, type FileSet } from './file-set.ts';
import type { FileChanges } from './find-changes.ts';
import { createFreshener, type Freshener } from './freshener.ts';
import { createIndexerClient, IndexerDamage, IndexReplaced } from './indexer-client.ts';
import type { IndexedFile, ProgramFiles } from './jobs.ts';
import { removeUnused } from './remove-unused.ts';
import type { WatcherState } from './watcher.ts';

interface IndexProgress {
  readonly done: number;
  readonly total: number;
}

interface WorktreeStatus {
  readonly state: 'building' | 'ready';
  readonly progress: IndexProgress;
  readonly files: number;
  readonly skipped: Readonly<Partial<Record<SkipReason, number>>>;
  readonly watcher: WatcherState;
  readonly watchedFolders: number;
  readonly watcherProblem: string | null;
  readonly cacheBytes: number;
  readonly storedResults: number;
  readonly database: string;
}

/** The index of one worktree. */
export interface Worktree {
  readonly root: string;
  readonly files: FileSet;
  readonly reader: () => BlobReader;
  /** Resolves when the index reflects every write that ended before this call. */
  readonly freshen: () => Promise<void>;
  readonly doubt: (paths: Iterable<string>) => void;
  /** Parses files again, even if their parse results are stored. */
  readonly reparse: (paths: readonly string[]) => Promise<void>;
  readonly onProgress: (listener: (progress: IndexProgress) => void) => () => void;
  readonly status: () => WorktreeStatus;
  /** Deletes the damaged index from disk and builds it again. */
  readonly rebuild: () => Promise<void>;
  readonly close: () => void;
}

interface WorktreeInput {
  /** The root folder as a real path, without symbolic links. */
  readonly root: string;
  readonly place: CachePlace;
  readonly program: ProgramFiles;
  readonly watch: boolean;
}

interface Store {
  readonly reader: () => BlobReader;
  readonly generation: () => string;
  readonly reopen: () => void;
  readonly close: () => void;
}

function createStore(path: string): Store {
  const open = (): OpenDatabase & { readonly reader: BlobReader } => {
    const made = openDatabase(path);
    return { ...made, reader: createBlobReader(made.database) };
  };
  let current = open();
  return {
    reader: () => current.reader,
    generation: () => current.generation,
    reopen: () => {
      current.database.close();
      current = open();
    },
    close: () => {
      current.database.exec('pragma optimize');
      current.database.close();
    },
  };
}

interface OverlaySaver {
  readonly load: () => void;
  readonly changed: () => void;
  readonly flush: () => void;
}

/**
 * Delay in milliseconds before the file list is saved after a change. If a crash prevents the save, the only cost is a
 * comparison of all files.
 */
const SAVE_AFTER_MS = 1_500;

function saveOverlay(input: WorktreeInput, files: FileSet, store: Store): OverlaySaver {
  let timer: NodeJS.Timeout | null = null;
  let saved = -1;
  const flush = (): void => {
    if (timer !== null) clearTimeout(timer);
    timer = null;
    if (saved === files.version()) return;
    saved = files.version();
    try {
      writeOverlay(input.place.overlay, {
        generation: store.generation(),
        root: input.root,
        entries: [...files.entries()],
      });
    } catch (error) {
      process.stderr.write(`The list of files could not be saved: ${String(error)}\n`);
    }
  };
  return {
    load: () => {
      const overlay = readOverlay(input.place.overlay, store.generation());
      for (const entry of overlay?.entries ?? []) files.put(entry);
      saved = files.version();
    },
    changed: () => {
      timer ??= setTimeout(flush, SAVE_AFTER_MS);
      timer.unref();
    },
    flush,
  };
}

interface ProgressBoard {
  readonly begin: (files: number) => void;
  readonly advance: (files: number) => void;
  readonly current: () => IndexProgress;
  readonly listen: (listener: (progress: IndexProgress) => void) => () => void;
}

function progressBoard(): ProgressBoard {
  let current: IndexProgress = { done: 0, total: 0 };
  const listeners = new Set<(progress: IndexProgress) => void>();
  const set = (progress: IndexProgress): void => {
    current = progress;
    for (const listener of listeners) listener(progress);
  };
  return {
    begin: (total) => set({ done: 0, total }),
    advance: (files) => set({ done: current.done + files, total: current.total }),
    current: () => current,
    listen: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

function takeFiles(files: FileSet, indexed: readonly IndexedFile[]): void {
  for (const { path, stamp, blob, skipped, racy } of indexed) {
    if (stamp === null) files.remove(path);
    else files.put({ path, blob, skipped, stamp, racy });
  }
}

interface Indexing {
  readonly apply: (changes: FileChanges) => Promise<void>;
  readonly reparse: (paths: readonly string[]) => Promise<void>;
  readonly rebuild: () => Promise<void>;
  readonly progress: ProgressBoard;
  readonly stop: () => void;
}

const MAX_REBUILDS = 2;

function createIndexing(
  input: WorktreeInput,
  files: FileSet,
  store: Store,
  saver: OverlaySaver,
  freshener: () => Freshener,
): Indexing {
  const client = createIndexerClient(input.program);
  const progress = progressBoard();
  let rebuilds = 0;
  const index = async (paths: readonly string[], force: boolean): Promise<void> => {
    if (paths.length === 0) return;
    progress.begin(paths.length);
    const { root, place } = input;
    const take = (indexed: readonly IndexedFile[]): void => {
      takeFiles(files, indexed);
      progress.advance(indexed.length);
    };
    await client.index({ root, database: place.database, generation: store.generation(), paths, force, take });
  };
  /**
   * Resets the index to an empty file set. If `discard` is true, deletes the damaged database first; pass false if
   * another process has already replaced it.
   */
  const startAnew = (discard: boolean): void => {
    if (discard) discardDatabase(input.place.database);
    rmSync(input.place.overlay, { force: true });
    store.reopen();
    files.clear();
    freshener().doubtAll();
  };
  const apply = async ({ changed, gone }: FileChanges): Promise<void> => {
    for (const path of gone) files.remove(path);
    try {
      await index(changed, false);
    } catch (error) {
      const isDamaged = error instanceof IndexerDamage;
      if (!(isDamaged || error instanceof IndexReplaced) || rebuilds >= MAX_REBUILDS) throw error;
      rebuilds += 1;
      startAnew(isDamaged);
      return;
    }
    if (changed.length + gone.length > 0) saver.changed();
  };
  return {
    apply,
    progress,
    reparse: (paths) => index(paths, true),
    rebuild: async () => {
      startAnew(true);
      await freshener().freshen();
    },
    stop: client.stop,
  };
}

/** Opens the index of a worktree. No source file is read before `freshen` is called. */
export function openWorktree(input: WorktreeInput): Worktree {
  const files = createFileSet();
  const store = createStore(input.place.database);
  const saver = saveOverlay(input, files, store);
  saver.load();
  const indexing = createIndexing(input, files, store, saver, () => freshener);
  const freshener: Freshener = createFreshener(input.root, files, input.watch, indexing.apply);
  const mark = join(input.place.folder, `server-${process.pid}`);
  writeFileSync(mark, '');
  let ready = false;
  const freshen = async (): Promise<void> => {
    await freshener.freshen();
    ready = true;
  };
  return {
    root: input.root,
    files,
    reader: store.reader,
    freshen,
    doubt: freshener.doubt,
    reparse: indexing.reparse,
    onProgress: indexing.progress.listen,
    status: () => statusOf(input, files, store, indexing, freshener, ready),
    rebuild: indexing.rebuild,
    close: () => {
      freshener.watcher.close();
      indexing.stop();
      saver.flush();
      removeUnused(input.place, store.generation());
      store.close();
      rmSync(mark, { force: true });
    },
  };
}

function statusOf(
  input: WorktreeInput,
  files: FileSet,
  store: Store,
  indexing: Indexing,
  freshener: Freshener,
  ready: boolean,
): WorktreeStatus {
  const { watcher } = freshener;
  return {
    state: ready ? 'ready' : 'building',
    progress: indexing.progress.current(),
    files: files.size(),
    skipped: files.skipped(),
    watcher: watcher.state(),
    watchedFolders: watcher.folders(),
    watcherProblem: watcher.problem(),
    cacheBytes: store.reader().bytes(),
    storedResults: store.reader().countBlobs(),
    database: input.place.database,
  };
}
