import type { LoadedTasks } from '#actors/task-tree/index.ts';
import { headerOf } from '#machines/task-tree/header.ts';
import { keyOf, structureOf } from '#machines/task-tree/find-task.ts';
import { getActiveTask } from '#machines/task-tree/active-task.ts';
import { idOf, walkTasks } from '#machines/task-tree/walk-tasks.ts';
import type { TaskLine, TaskPlan } from '#protocol/task-plan.ts';
import type { TaskProblem } from '#protocol/task-tree.ts';
import { scopeOf } from './scope.ts';

export interface TaskListing extends TaskPlan {
  readonly notices: TaskNotices;
}

/** Notices for a person, before the plan is saved. */
export interface TaskNotices {
  /** Files that another program has changed. */
  readonly changed: readonly string[];
  readonly dropped: LoadedTasks['dropped'];
  readonly metaDamaged: boolean;
}

export type ListedTasks =
  | { readonly ok: true; readonly listing: TaskListing }
  | { readonly ok: false; readonly problems: readonly TaskProblem[]; readonly notices: TaskNotices };

export const noticesOf = ({ changed, dropped, metaDamaged }: LoadedTasks): TaskNotices => ({
  changed,
  dropped,
  metaDamaged,
});

export function listTasks(loaded: LoadedTasks): ListedTasks {
  const notices = noticesOf(loaded);
  if (loaded.problems.length > 0) return { ok: false, problems: loaded.problems, notices };
  const scope = scopeOf(loaded);
  const active = getActiveTask(scope);
  const isRemembered = Object.keys(loaded.meta.tasks).length > 0;
  const tasks = Array.from(walkTasks(scope), (placed): TaskLine => {
    const { name, status, reference, metadata } = placed.task;
    const record = isRemembered ? loaded.meta.tasks[keyOf(placed)] : undefined;
    return {
      id: idOf(placed.path),
      name,
      status,
      depth: placed.path.length - 1,
      reference,
      metadata: Object.fromEntries(metadata),
      run: record?.run ?? null,
      failures: record?.failures ?? 0,
    };
  });
  const listing: TaskListing = {
    file: scope.path,
    scope: scope.files,
    header: Object.fromEntries(headerOf(scope.head)),
    structure: structureOf(scope),
    active: active === null ? null : idOf(active.path),
    tasks,
    notices,
  };
  return { ok: true, listing };
}
