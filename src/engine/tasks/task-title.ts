import { loadTasks, type TaskPlace } from '#actors/task-tree/index.ts';
import { keyOf } from '#machines/task-tree/find-task.ts';
import { walkTasks } from '#machines/task-tree/walk-tasks.ts';

/** Returns the title of a task of the work plan, or null if the plan has none with this key, or can't be read. */
export async function taskTitle(place: TaskPlace, key: string): Promise<string | null> {
  try {
    const loaded = await loadTasks(place);
    for (const placed of walkTasks(loaded.tree)) if (keyOf(placed) === key) return placed.task.name;
    return null;
  } catch {
    return null;
  }
}
