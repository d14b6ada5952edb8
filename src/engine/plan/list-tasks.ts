import type { LoadedTasks } from '#actors/plan/index.ts';
import { headerOf } from '#logic/plan/header.ts';
import { keyOf, structureOf } from '#logic/plan/find-task.ts';
import { getActiveTask } from '#logic/plan/active-task.ts';
import { idOf, walkTasks } from '#logic/plan/walk-tasks.ts';
import type { TaskLine, TaskPlan } from '#protocol/task-plan.ts';
import type { TaskProblem } from '#protocol/task-tree.ts';
import type { TaskNotices } from '#protocol/task-work.ts';
import { scopeOf } from './scope.ts';
import { findManifest } from '#io/project/project.ts';
import { detectCommands } from '#io/project/project-commands.ts';
import type { Graph } from '#protocol/graph.ts';
import { loadManifest } from '../manifest/load-manifest.ts';

export interface TaskListing extends TaskPlan {
  readonly notices: TaskNotices;
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

/** Returns the project's commands: detected ones, overridden by a manifest without errors. */
export async function loadManifestCommands(root: string, from: string): Promise<Graph['commands']> {
  const file = await findManifest(from);
  const loaded = file === null ? null : await loadManifest(file, { root });
  return loaded?.compilation.workflow?.graph.commands ?? loaded?.detectedCommands ?? (await detectCommands(root));
}
