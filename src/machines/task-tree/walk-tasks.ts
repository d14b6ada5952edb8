import type { Task, TaskPath, TaskTree } from '#protocol/task-tree.ts';

export interface PlacedTask {
  readonly path: TaskPath;
  readonly task: Task;
  /** It is written in this file, relative to `.flow/`. */
  readonly file: string;
  readonly parent: PlacedTask | null;
}

/** In the order in which they stand, through references: a parent before its children; those only where `into` says so. */
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

/** Done, or not to be done. */
export const isFinished = ({ status }: Pick<Task, 'status'>): boolean => status === 'done' || status === 'skipped';

/** Finished, or only a person can go on with it: nothing below it is worked on. */
export const isClosed = (task: Pick<Task, 'status'>): boolean => isFinished(task) || task.status === 'failed';
