import { loadTasks, type TaskPlace } from '#actors/plan/index.ts';
import { newId } from '#io/clock/identity.ts';
import { safePath } from '#io/files/safe-path.ts';
import type { FileCalls } from '#protocol/file-calls.ts';
import { keyOf } from '#logic/plan/find-task.ts';
import { walkTasks } from '#logic/plan/walk-tasks.ts';

/** Returns the real place. `folder`: the absolute path of `.flow`. */
export const taskPlace = (folder: string, calls: FileCalls): TaskPlace => ({
  calls,
  folder,
  locate: (path) => safePath(folder, path),
  newId: () => newId(6),
});

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
