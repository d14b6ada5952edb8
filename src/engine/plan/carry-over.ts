import type { LoadedTasks } from '#actors/plan/index.ts';
import type { createIntentLock } from '#actors/engine-lock/index.ts';
import { type MovedKey, movedKeys } from '#logic/plan/find-task.ts';
import type { PlacedTask } from '#logic/plan/walk-tasks.ts';
import type { TaskRecord, TaskTree } from '#protocol/task-tree.ts';

export interface CarryOverParts {
  readonly intents: ReturnType<typeof createIntentLock>;
  readonly recordOf: (placed: PlacedTask, known: TaskRecord | undefined) => TaskRecord;
}

type Records = Readonly<Record<string, TaskRecord>>;

interface CarryOver {
  /**
   * Returns the records under the new keys of tasks that were moved or renamed; the store removes the old ones once
   * everything is saved.
   */
  readonly records: (loaded: LoadedTasks, tree: TaskTree) => Records;
  /** Removes the intents of the old keys if the new tree was saved, otherwise those of the new keys. */
  readonly ended: (isSaved: boolean) => void;
}

/** Preserves a task's run and failures when its key changes. */
export function carryOver({ intents, recordOf }: CarryOverParts): CarryOver {
  let moved: readonly MovedKey[] = [];
  return {
    records: ({ tree: before, meta }, tree) => {
      moved = movedKeys(before, tree);
      for (const { from, to } of moved) intents.copyTask(from, to);
      return Object.fromEntries(
        moved.flatMap(({ placed, from, to }) => {
          const known = meta.tasks[from];
          const record = placed.task.status === 'active' ? recordOf(placed, known) : known;
          return record === undefined || (record.run === null && record.failures === 0) ? [] : [[to, record] as const];
        }),
      );
    },
    ended: (isSaved) => {
      for (const { from, to } of moved) intents.end({ kind: 'task', task_id: isSaved ? from : to });
    },
  };
}
