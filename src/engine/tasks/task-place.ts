import type { TaskPlace } from '#actors/task-tree/index.ts';
import { newId } from '#io/clock/identity.ts';
import { safePath } from '#io/files/safe-path.ts';
import type { FileCalls } from '#protocol/file-calls.ts';

/** Returns the real place. `folder`: the absolute path of `.flow`. */
export const taskPlace = (folder: string, calls: FileCalls): TaskPlace => ({
  calls,
  folder,
  locate: (path) => safePath(folder, path),
  newId: () => newId(6),
});
