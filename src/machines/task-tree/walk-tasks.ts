import type { Task, TaskPath, TaskTree } from '#protocol/task-tree.ts';

export interface PlacedTask {
  readonly path: TaskPath;
  readonly task: Task;
  /** It is written in this file, relative to `.flow/`. */
  readonly file: string;
  readonly parent: PlacedTask | null;
}

/** In the order in which they stand, through references: a parent before its children. */
export function* walkTasks(tree: Pick<TaskTree, 'path' | 'tasks'>): Generator<PlacedTask> {
  yield* below(tree.tasks, [], tree.path, null);
}

function* below(
  tasks: readonly Task[],
  path: TaskPath,
  file: string,
  parent: PlacedTask | null,
): Generator<PlacedTask> {
  for (const [index, task] of tasks.entries()) {
    const placed = { path: [...path, index], task, file, parent };
    yield placed;
    yield* below(task.children, placed.path, task.file?.path ?? file, placed);
  }
}

export const idOf = (path: TaskPath): string => path.map((index) => index + 1).join('.');

/** Done, or not to be done. */
export const isFinished = ({ status }: Pick<Task, 'status'>): boolean => status === 'done' || status === 'skipped';
