import type { Task, TaskPath, TaskTree } from '#protocol/task-tree.ts';

export interface PlacedTask {
  readonly path: TaskPath;
  readonly task: Task;
  /** The file that contains the task, relative to `.flow/`. */
  readonly file: string;
  readonly parent: PlacedTask | null;
}

/**
 * Yields tasks in written order, through references, parents before children. `into` selects the tasks whose children
 * are visited.
 */
export function* walkTasks(
  tree: Pick<TaskTree, 'path' | 'tasks'>,
  into: (task: Task) => boolean = () => true,
): Generator<PlacedTask> {
  yield* below(tree.tasks, { path: [], file: tree.path, parent: null }, into);
}

function* below(
  tasks: readonly Task[],
  { path, file, parent }: Omit<PlacedTask, 'task'>,
  into: (task: Task) => boolean,
): Generator<PlacedTask> {
  for (const [index, task] of tasks.entries()) {
    const placed = { path: [...path, index], task, file, parent };
    yield placed;
    if (into(task)) yield* below(task.children, { ...placed, file: task.file?.path ?? file, parent: placed }, into);
  }
}

export const idOf = (path: TaskPath): string => path.map((index) => index + 1).join('.');

/** Returns whether a task is done or skipped. */
export const isFinished = ({ status }: Pick<Task, 'status'>): boolean => status === 'done' || status === 'skipped';

/** Returns whether a task is finished or failed: nothing below it is worked on. */
export const isClosed = (task: Pick<Task, 'status'>): boolean => isFinished(task) || task.status === 'failed';
