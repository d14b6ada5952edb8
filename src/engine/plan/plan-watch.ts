import { type LoadedTasks, META_FILE, type TaskPlace, type TaskStore } from '#actors/plan/index.ts';
import { readIfThere, replaceFile } from '#io/files/durable-file.ts';
import { findByKey } from '#logic/plan/find-task.ts';
import type { TaskProblem } from '#protocol/task-tree.ts';

/** The files of a plan when a task began. */
interface PlanSnapshot {
  /** The key of the task that is being worked on. */
  readonly key: string;
  readonly files: ReadonlyMap<string, string>;
  readonly meta: Uint8Array | null;
}

interface PlanWatch {
  /** Starts a watch for the task with this key: from now on, blocks may read the plan, and only people may change it. */
  begin(key: string): Promise<void>;
  /**
   * Returns the store for the edits of people. While a task is being worked on, it refuses an edit of a plan that a
   * block has changed, and one that moves or removes that task.
   */
  readonly editing: TaskStore;
  /**
   * Returns the problems of the plan and its changes since `begin`; empty before the first task. Also restores the
   * engine's own task records if they were changed.
   */
  end(): Promise<readonly TaskProblem[]>;
}

const isSame = (one: Uint8Array | null, other: Uint8Array | null): boolean =>
  one === null || other === null ? one === other : Buffer.compare(one, other) === 0;

const hashesOf = (files: LoadedTasks['files']): PlanSnapshot['files'] =>
  new Map(Array.from(files, ([file, { hash }]) => [file, hash]));

function changedFiles({ files: before }: PlanSnapshot, now: PlanSnapshot['files']): string[] {
  const names = new Set([...before.keys(), ...now.keys()]);
  return [...names].filter((file) => before.get(file) !== now.get(file)).sort();
}

/** Returns the problem if an edit would move or remove the task that is being worked on; null otherwise. */
function movedTask(key: string, loaded: LoadedTasks, tree = loaded.tree): readonly TaskProblem[] | null {
  const placed = findByKey(loaded.tree, key);
  if (placed === null || findByKey(tree, key) !== null) return null;
  const { file, task } = placed;
  const message = `"${task.name}" is being worked on: wait until its run ends, or stop that run`;
  return [{ code: 'tasks_blocked', file, line: task.line === 0 ? null : task.line, message }];
}

/** Compares the plan before and after a task's run, independently of the record on disk. */
export function createPlanWatch(store: TaskStore, place: TaskPlace): PlanWatch {
  let begun: PlanSnapshot | null = null;
  const readMeta = async (): Promise<() => Uint8Array | null> => {
    const file = await place.locate(META_FILE);
    return () => readIfThere(place.calls, file);
  };
  const look = async (key: string): Promise<PlanSnapshot & Pick<LoadedTasks, 'problems'>> => {
    const { files, problems } = await store.load();
    return { key, problems, files: hashesOf(files), meta: (await readMeta())() };
  };
  /** Returns the plan that the engine has just saved. What a block has changed since counts as a change. */
  const saved = async (key: string): Promise<PlanSnapshot> => {
    const { files, meta } = await store.load();
    const written = Array.from(files.keys(), (file) => [file, meta.files[file]?.sha256 ?? ''] as const);
    return { key, files: new Map(written), meta: (await readMeta())() };
  };
  const update: TaskStore['update'] = async (change) => {
    const before = begun;
    if (before === null) return store.update(change);
    const metaNow = await readMeta();
    const done = await store.update((loaded) => {
      const foreign = changedFiles(before, hashesOf(loaded.files));
      if (!isSame(before.meta, metaNow())) foreign.push(META_FILE);
      if (foreign.length > 0) return changedByRun(foreign);
      const wanted = change(loaded);
      return 'length' in wanted ? wanted : (movedTask(before.key, loaded, wanted.tree) ?? wanted);
    });
    if (done.ok) begun = await saved(before.key);
    return done;
  };
  return {
    editing: { ...store, update },
    begin: async (key) => {
      begun = await look(key);
    },
    end: async () => {
      if (begun === null) return [];
      const before = begun;
      begun = null;
      const now = await look(before.key);
      const changed = changedFiles(before, now.files);
      const isKept = isSame(before.meta, now.meta);
      if (!isKept && before.meta !== null)
        replaceFile(place.calls, await place.locate(META_FILE), before.meta, place.newId());
      return now.problems.length > 0 ? now.problems : changedByRun(isKept ? changed : [...changed, META_FILE]);
    },
  };
}

/**
 * Returns the problem for files that changed while a block executed: a person must accept or restore them before they
 * count.
 */
export const changedByRun = (files: readonly string[]): readonly TaskProblem[] =>
  files.map((file) => ({
    code: 'tasks_changed',
    file,
    line: null,
    message:
      'the plan was edited while a task was running; the edit is ignored until you accept it or restore the saved plan',
  }));
