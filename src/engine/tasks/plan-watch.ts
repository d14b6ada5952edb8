import { type LoadedTasks, META_FILE, type TaskPlace, type TaskStore } from '#actors/task-tree/index.ts';
import { readIfThere, replaceFile } from '#io/files/durable-file.ts';
import type { TaskProblem } from '#protocol/task-tree.ts';

/** The files of a plan when a task began. */
interface PlanSnapshot {
  readonly files: ReadonlyMap<string, string>;
  readonly meta: Uint8Array | null;
}

interface PlanWatch {
  /** True between `begin` and `end`: nobody may change the plan. */
  isOpen(): boolean;
  /** Starts a watch: from now on, blocks may read the plan, and nobody may change it. */
  begin(): Promise<void>;
  /**
   * Returns the problems of the plan and its changes since `begin`; empty before the first task. Also restores the
   * engine's own task records if they were changed.
   */
  end(): Promise<readonly TaskProblem[]>;
}

const isSame = (one: Uint8Array | null, other: Uint8Array | null): boolean =>
  one === null || other === null ? one === other : Buffer.compare(one, other) === 0;

/** Compares the plan before and after a task's run, independently of the record on disk. */
export function createPlanWatch(store: TaskStore, place: TaskPlace): PlanWatch {
  let begun: PlanSnapshot | null = null;
  const look = async (): Promise<PlanSnapshot & Pick<LoadedTasks, 'problems'>> => {
    const { files, problems } = await store.load();
    return {
      problems,
      files: new Map(Array.from(files, ([file, { hash }]) => [file, hash])),
      meta: readIfThere(place.calls, await place.locate(META_FILE)),
    };
  };
  return {
    isOpen: () => begun !== null,
    begin: async () => {
      begun = await look();
    },
    end: async () => {
      if (begun === null) return [];
      const before = begun;
      begun = null;
      const now = await look();
      const names = new Set([...before.files.keys(), ...now.files.keys()]);
      const changed = [...names].filter((file) => before.files.get(file) !== now.files.get(file)).sort();
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
