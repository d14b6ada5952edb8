import type { Task, TaskPath } from '#protocol/task-tree.ts';
import { isClosed, type PlacedTask, walkTasks } from './walk-tasks.ts';

/** A tree, or the part of it in scope. */
interface Scope {
  readonly path: string;
  readonly tasks: readonly Task[];
}

const isOpen = (task: Task): boolean => !isClosed(task);

function deepestActive(scope: Scope): PlacedTask | null {
  let deepest: PlacedTask | null = null;
  for (const placed of walkTasks(scope, isOpen))
    if (placed.task.status === 'active' && placed.path.length > (deepest?.path.length ?? 0)) deepest = placed;
  return deepest;
}

/**
 * Returns the path of the first open task at or below this one. A task with children is done by completing its
 * children. `failed`: a task has failed, so only a person can continue.
 */
function firstOpen(task: Task): TaskPath | 'failed' {
  for (const [index, child] of task.children.entries()) {
    const below = isOpen(child) ? firstOpen(child) : 'failed';
    if (below !== 'failed') return [index, ...below];
  }
  return task.children.some(({ status }) => !['done', 'skipped'].includes(status)) ? 'failed' : [];
}

/**
 * Returns the deepest active task, through references; without an active one, the first pending task, depth first.
 */
export function getActiveTask(scope: Scope): PlacedTask | null {
  const active = deepestActive(scope);
  if (active !== null) return active;
  for (const [index, task] of scope.tasks.entries()) {
    const below = task.status === 'pending' ? firstOpen(task) : 'failed';
    if (below !== 'failed') return descend({ path: [index], task, file: scope.path, parent: null }, below);
  }
  return null;
}

function descend(from: PlacedTask, below: TaskPath): PlacedTask {
  let placed = from;
  for (const index of below) {
    const task = placed.task.children[index];
    if (task === undefined) break;
    placed = { path: [...placed.path, index], task, file: placed.task.file?.path ?? placed.file, parent: placed };
  }
  return placed;
}

type NextTask =
  /** The task and everything below it is finished. */
  | { readonly kind: 'complete'; readonly placed: PlacedTask }
  | { readonly kind: 'task'; readonly placed: PlacedTask }
  /** An active task waits for a failed task below it. */
  | { readonly kind: 'blocked'; readonly placed: PlacedTask }
  | { readonly kind: 'none' };

/** Returns what to work on now: the active task, or the first open one below it. */
export function nextTask(scope: Scope): NextTask {
  const active = getActiveTask(scope);
  if (active === null) return { kind: 'none' };
  const below = firstOpen(active.task);
  if (below === 'failed') return { kind: 'blocked', placed: active };
  const placed = descend(active, below);
  return { kind: placed.task.children.length > 0 ? 'complete' : 'task', placed };
}
