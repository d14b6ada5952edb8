import type { Task, TaskPath } from '#protocol/task-tree.ts';
import { isClosed, type PlacedTask, walkTasks } from './walk-tasks.ts';

/** A tree, or the part of it that is in scope. */
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

/** Path of the first task to work on, from this one down: what has tasks below it is done by doing them. `failed`: only a person can go on. */
function firstOpen(task: Task): TaskPath | 'failed' {
  for (const [index, child] of task.children.entries()) {
    const below = isOpen(child) ? firstOpen(child) : 'failed';
    if (below !== 'failed') return [index, ...below];
  }
  return task.children.some(({ status }) => !['done', 'skipped'].includes(status)) ? 'failed' : [];
}

/** The deepest active task, through references; with none active the first pending one, depth first: smart resume (seed 003 §3.1). */
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

export type NextTask =
  /** All that is below it is finished, and so is it. */
  | { readonly kind: 'complete'; readonly placed: PlacedTask }
  | { readonly kind: 'task'; readonly placed: PlacedTask }
  /** An active task waits for one below it that has failed. */
  | { readonly kind: 'blocked'; readonly placed: PlacedTask }
  | { readonly kind: 'none' };

/** What to work on now: the active task, or the first open one below it. */
export function nextTask(scope: Scope): NextTask {
  const active = getActiveTask(scope);
  if (active === null) return { kind: 'none' };
  const below = firstOpen(active.task);
  if (below === 'failed') return { kind: 'blocked', placed: active };
  const placed = descend(active, below);
  return { kind: placed.task.children.length > 0 ? 'complete' : 'task', placed };
}
