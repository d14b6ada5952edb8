import type { TaskTree } from '#protocol/task-tree.ts';
import { keyOf } from './find-task.ts';
import { type PlacedTask, walkTasks } from './walk-tasks.ts';

/** A task whose key changes when the tree is saved. */
export interface MovedKey {
  readonly placed: PlacedTask;
  readonly from: string;
  readonly to: string;
}

/**
 * Returns the key changes caused by moving tasks into a file: the tasks and their order stay the same, but the new keys
 * begin with that file.
 */
export function movedKeys(before: TaskTree, after: TaskTree): readonly MovedKey[] {
  const now = walkTasks(after);
  return Array.from(walkTasks(before)).flatMap((placed) => {
    const next = now.next();
    if (next.done === true) return [];
    const [from, to] = [keyOf(placed), keyOf(next.value)];
    return from === to ? [] : [{ placed, from, to }];
  });
}
