import { keyOf } from '#logic/plan/find-task.ts';
import { parseStatus } from '#logic/plan/parse-status.ts';
import { type PlacedTask, walkTasks } from '#logic/plan/walk-tasks.ts';
import type { TaskTree } from '#protocol/task-tree.ts';
import { findBackup } from './backups.ts';
import type { StatusMeta } from './status-meta.ts';
import type { TaskPlace } from './task-place.ts';

type Tasks = ReadonlyMap<string, PlacedTask>;

/** Returns the names of the task and its parents within the same file, outermost first. */
function namesOf(placed: PlacedTask): readonly string[] {
  const names: string[] = [];
  for (let at: PlacedTask | null = placed; at !== null && at.file === placed.file; at = at.parent)
    names.unshift(at.task.name);
  return names;
}

const metadataOf = ({ task: { metadata, reference } }: PlacedTask): string =>
  JSON.stringify([reference, [...metadata].sort()]);

/** Returns whether the two tasks differ only in one name, their own or that of one parent. */
function isRenamed(old: PlacedTask, now: PlacedTask): boolean {
  const [before, after] = [namesOf(old), namesOf(now)];
  const renamed = before.filter((name, index) => name !== after[index]);
  return before.length === after.length && renamed.length === 1 && metadataOf(old) === metadataOf(now);
}

const tasksIn = (tree: Pick<TaskTree, 'path' | 'tasks'>, file: string): Tasks =>
  new Map(
    Array.from(walkTasks(tree))
      .filter((placed) => placed.file === file)
      .map((placed) => [keyOf(placed), placed]),
  );

/** Returns the tasks of a file as the engine saved it last, or null if there is no backup. */
async function savedTasks(place: TaskPlace, { files }: StatusMeta, file: string): Promise<Tasks | null> {
  const bytes = await findBackup(place, file, files[file]?.sha256 ?? '');
  return bytes === null
    ? null
    : tasksIn(
        parseStatus(file, new TextDecoder().decode(bytes), () => null),
        file,
      );
}

/**
 * Moves the record of an active task to its new key if a person has renamed the task since the plan was saved. A rename
 * is ignored if more than one task could be the renamed one.
 */
export async function followRenames(
  place: TaskPlace,
  meta: StatusMeta,
  tree: TaskTree,
  changed: readonly string[],
): Promise<StatusMeta> {
  const tasks = { ...meta.tasks };
  for (const file of changed) {
    const lost = Object.entries(meta.tasks).filter(([key, { run }]) => run !== null && key.startsWith(`${file}#`));
    if (lost.length === 0) continue;
    const now = tasksIn(tree, file);
    const before = await savedTasks(place, meta, file);
    if (before === null) continue;
    const added = [...now].filter(([key, { task }]) => task.status === 'active' && !before.has(key));
    for (const [key, record] of lost) {
      const old = before.get(key);
      if (old === undefined || now.has(key)) continue;
      const [renamed, ...others] = added.filter(([, placed]) => isRenamed(old, placed));
      if (renamed === undefined || others.length > 0) continue;
      tasks[renamed[0]] = record;
      Reflect.deleteProperty(tasks, key);
    }
  }
  return { ...meta, tasks };
}
