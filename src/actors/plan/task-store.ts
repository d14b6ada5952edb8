import { createFile, readIfThere, replaceFile } from '#io/files/durable-file.ts';
import { keyOf, structureOf } from '#logic/plan/find-task.ts';
import { walkTasks } from '#logic/plan/walk-tasks.ts';
import type { TaskProblem, TaskRecord, TaskTree } from '#protocol/task-tree.ts';
import { keepBackups } from './backups.ts';
import { changedFiles } from './changed-files.ts';
import { followRenames } from './followed-renames.ts';
import { type ReadTree, readTree } from './read-tree.ts';
import { restoreFiles } from './restore-files.ts';
import { decodeMeta, encodeMeta, type FileRecord, META_FILE, NO_META, type StatusMeta } from './status-meta.ts';
import { hashOf, ROOT_FILE, type TaskPlace } from './task-place.ts';
import { type Write, writeFiles, writesOf } from './write-files.ts';

export interface LoadedTasks extends ReadTree {
  readonly meta: StatusMeta;
  /** True if `status.meta` could not be read; its information is lost. */
  readonly metaDamaged: boolean;
  /** Files that another program has changed or removed. */
  readonly changed: readonly string[];
}

/** The changes to save. If there is no tree, only the engine's own records are saved. */
export interface TaskUpdate {
  readonly tree?: TaskTree;
  /** Records by key; null removes one. */
  readonly records?: Readonly<Record<string, TaskRecord | null>>;
  readonly scope?: readonly string[];
}

type TaskUpdateOutcome =
  | { readonly ok: true; readonly tree: TaskTree; readonly loaded: LoadedTasks }
  | { readonly ok: false; readonly problems: readonly TaskProblem[]; readonly loaded: LoadedTasks };

/** The maximum number of tries of an update: each failed one means that another program has saved meanwhile. */
const MOST_TRIES = 20;

/** The maximum number of tries of a read: each failed one means that the owner has saved meanwhile. */
const MOST_READS = 20;

/** Loads the tasks. Only reads, so it works while another process owns the engine. */
export async function loadTasks(place: TaskPlace): Promise<LoadedTasks> {
  const at = await place.locate(META_FILE);
  for (let reads = 1; ; reads += 1) {
    const bytes = readIfThere(place.calls, at);
    const read = await readTree(place);
    const after = readIfThere(place.calls, at);
    const isSame = bytes === null || after === null ? bytes === after : Buffer.compare(bytes, after) === 0;
    if (!isSame && reads < MOST_READS) continue;
    const kept = bytes === null ? NO_META : decodeMeta(bytes);
    const known = kept ?? NO_META;
    const changed = await changedFiles(place, read.files, known);
    const meta = await followRenames(place, known, read.tree, changed);
    return { ...read, meta, metaDamaged: kept === null, changed };
  }
}

/** Merges records; those of tasks that are finished or will be started anew are removed. */
function merged(
  { tasks }: StatusMeta,
  records: NonNullable<TaskUpdate['records']>,
  tree: TaskTree,
): StatusMeta['tasks'] {
  const all = Object.entries({ ...tasks, ...records });
  if (all.length === 0) return {};
  const alive = new Set<string>();
  for (const placed of walkTasks(tree))
    if (placed.task.status === 'active' || placed.task.status === 'failed') alive.add(keyOf(placed));
  return Object.fromEntries(
    all.filter((entry): entry is [string, TaskRecord] => entry[1] !== null && alive.has(entry[0])),
  );
}

/**
 * Adds records without removing any before the files are written: a crash in between would lose a run whose result is
 * not recorded yet.
 */
const added = ({ tasks }: StatusMeta, records: NonNullable<TaskUpdate['records']>): StatusMeta['tasks'] => ({
  ...tasks,
  ...Object.fromEntries(Object.entries(records).filter((entry): entry is [string, TaskRecord] => entry[1] !== null)),
});

/** Writes `status.meta`. A damaged file is kept under another name for inspection. */
async function writeMeta({ calls, locate, newId }: TaskPlace, meta: StatusMeta, damaged: boolean): Promise<void> {
  const file = await locate(META_FILE);
  if (damaged) createFile(calls, `${file}.damaged-${newId()}`, calls.read(file), newId());
  replaceFile(calls, file, encodeMeta(meta), newId());
}

/** Returns the records of files that the engine writes or accepts. */
function recordsOf(loaded: LoadedTasks, written: readonly Write[]): Readonly<Record<string, FileRecord>> {
  const records = new Map(Array.from(loaded.files, ([file, { hash }]) => [file, { sha256: hash }] as const));
  for (const { file, bytes } of written) records.set(file, { sha256: hashOf(bytes) });
  return Object.fromEntries(records);
}

/**
 * Returns the records to store before the files are written: the hashes of the current and of the next content of each
 * file.
 */
const announced = (loaded: LoadedTasks, written: readonly Write[]): Readonly<Record<string, FileRecord>> => ({
  ...recordsOf(loaded, []),
  ...Object.fromEntries(
    written.map(({ file, bytes }) => {
      const next = hashOf(bytes);
      return [file, { sha256: loaded.files.get(file)?.hash ?? next, next }] as const;
    }),
  ),
});

/**
 * Returns the problems that would occur if this tree were saved and loaded again, because a plan that can't be loaded
 * can neither be used nor repaired.
 */
async function problemsAfter(place: TaskPlace, loaded: LoadedTasks, tree: TaskTree): Promise<readonly TaskProblem[]> {
  const writes = writesOf(loaded, tree);
  const isShaped = structureOf(tree) === structureOf(loaded.tree) && writes.every(({ file }) => loaded.files.has(file));
  if (isShaped) return [];
  const { problems } = await readTree(place, new Map(writes.map(({ file, bytes }) => [file, bytes])));
  return problems;
}

/** Writes the update; false if another program has saved meanwhile, in which case nothing was changed. */
async function write(place: TaskPlace, loaded: LoadedTasks, { tree, records, scope }: TaskUpdate): Promise<boolean> {
  const { meta, metaDamaged } = loaded;
  const writes = tree === undefined ? [] : writesOf(loaded, tree);
  const before = { tasks: added(meta, records ?? {}), scope: meta.scope };
  const after = { tasks: merged(meta, records ?? {}, tree ?? loaded.tree), scope: scope ?? meta.scope };
  // Backs up each file with a recorded hash, so that it can be restored.
  for (const [file, { bytes, hash }] of loaded.files)
    if (meta.files[file]?.sha256 !== hash) await keepBackups(place, file, [bytes]);
  for (const { file, bytes } of writes) {
    const old = loaded.files.get(file)?.bytes;
    await keepBackups(place, file, old === undefined ? [bytes] : [old, bytes]);
  }
  if (writes.length > 0) await writeMeta(place, { ...before, files: announced(loaded, writes) }, metaDamaged);
  if (!(await writeFiles(place, loaded, writes))) {
    await writeMeta(place, meta, false);
    return false;
  }
  await writeMeta(place, { ...after, files: recordsOf(loaded, writes) }, metaDamaged && writes.length === 0);
  return true;
}

type AcceptResult =
  | { readonly ok: true; readonly changed: readonly string[] }
  | { readonly ok: false; readonly problems: readonly TaskProblem[]; readonly loaded: LoadedTasks };

export interface TaskStore {
  load(): Promise<LoadedTasks>;
  /**
   * Loads, changes and saves the tree; repeats if a person saves in between, so that their changes are never
   * overwritten. Nothing is written if the tree has problems, would have some, or `change` returns some.
   */
  update(change: (loaded: LoadedTasks) => TaskUpdate | readonly TaskProblem[]): Promise<TaskUpdateOutcome>;
  /** Accepts the current content of every file as the engine's own; previous content stays in the backups. */
  accept(): Promise<AcceptResult>;
  /**
   * Restores every changed file to what the engine wrote or accepted last, or none if that fails; the current content
   * goes to the backups. Returns their paths.
   */
  restore(): Promise<readonly string[] | TaskProblem>;
}

/**
 * Creates the store. Only the owner of the engine may use it, because only one process may save. On failure, functions
 * throw the system's error and leave no incomplete file.
 */
export function createTaskStore(place: TaskPlace): TaskStore {
  const load = (): Promise<LoadedTasks> => loadTasks(place);
  const update: TaskStore['update'] = async (change) => {
    for (let tries = 1; ; tries += 1) {
      const loaded = await load();
      const asked = loaded.problems.length > 0 ? loaded.problems : change(loaded);
      if (Array.isArray(asked)) return { ok: false, problems: asked as readonly TaskProblem[], loaded };
      const wanted = asked as TaskUpdate;
      const problems = wanted.tree === undefined ? [] : await problemsAfter(place, loaded, wanted.tree);
      if (problems.length > 0) return { ok: false, problems, loaded };
      if (await write(place, loaded, wanted)) return { ok: true, tree: wanted.tree ?? loaded.tree, loaded };
      if (tries < MOST_TRIES) continue;
      const message = 'another program keeps saving it: try again';
      return { ok: false, problems: [{ code: 'tasks_changed', message, file: ROOT_FILE, line: null }], loaded };
    }
  };
  return {
    load,
    update,
    accept: async () => {
      const before = await load();
      const done = await update(() => ({}));
      return done.ok ? { ok: true, changed: before.changed } : done;
    },
    restore: async () => {
      const loaded = await load();
      return restoreFiles(place, loaded.changed, loaded.meta);
    },
  };
}
