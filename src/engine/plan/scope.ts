import type { LoadedTasks } from '#actors/plan/index.ts';
import { walkTasks } from '#logic/plan/walk-tasks.ts';
import type { TaskPath, TaskTree } from '#protocol/task-tree.ts';

/** The part of the tree that commands apply to: all of it, or a file that was zoomed into. */
export interface Scope extends TaskTree {
  /** Its position in the whole tree. */
  readonly prefix: TaskPath;
  /** The files from the root to it; empty for the whole tree. */
  readonly files: readonly string[];
}

/** Returns the innermost file of the scope that is still referenced. */
export function scopeOf({ tree, meta }: Pick<LoadedTasks, 'tree' | 'meta'>): Scope {
  for (const wanted of meta.scope.toReversed())
    for (const { path, task } of walkTasks(tree))
      if (task.file?.path === wanted) {
        const files = meta.scope.slice(0, meta.scope.indexOf(wanted) + 1);
        return { path: wanted, head: task.file.head, tasks: task.children, prefix: path, files };
      }
  return { ...tree, prefix: [], files: [] };
}
