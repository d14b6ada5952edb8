import type { TaskAddress, TaskPath, TaskProblem, TaskTree } from '#protocol/task-tree.ts';
import { type PlacedTask, walkTasks } from './walk-tasks.ts';

/** Returns the task at a path, or null. */
export function taskAt(tree: Pick<TaskTree, 'path' | 'tasks'>, path: TaskPath): PlacedTask | null {
  let placed: PlacedTask | null = null;
  let tasks = tree.tasks;
  let file = tree.path;
  for (const [depth, index] of path.entries()) {
    const task = tasks[index];
    if (task === undefined) return null;
    placed = { path: path.slice(0, depth + 1), task, file, parent: placed };
    tasks = task.children;
    file = task.file?.path ?? file;
  }
  return placed;
}

export type FoundTask =
  { readonly ok: true; readonly found: PlacedTask } | { readonly ok: false; readonly problem: TaskProblem };

const ID = /^[1-9]\d{0,6}(?:\.[1-9]\d{0,6})*$/;

/**
 * Finds the task that an id refers to. An id is a position in the tree, so a change of the structure invalidates it.
 */
export function findTask(tree: TaskTree, { id, anchor, structure }: TaskAddress): FoundTask {
  const stale = (message: string): FoundTask => ({
    ok: false,
    problem: { code: 'stale_id', message, file: tree.path, line: null },
  });
  if (structure !== undefined && structure !== structureOf(tree))
    return stale(`${id} belongs to an older version of the tree: look up the task again`);
  const path = ID.test(id) ? id.split('.').map((part) => Number(part) - 1) : [];
  const found = taskAt(tree, path);
  if (found === null) return stale(`there is no task ${id}: look it up again`);
  const { name } = found.task;
  return anchor === undefined || anchor === name
    ? { ok: true, found }
    : stale(`${id} is "${name}", not "${anchor}": look up the task again`);
}

/** Hashes a text to 53 bits by bryc's cyrb53 (public domain); not for secrets. */
function mix(high: number, low: number, text: string): readonly [number, number] {
  let [one, two] = [high, low];
  for (let at = 0; at < text.length; at += 1) {
    const sign = text.charCodeAt(at);
    one = Math.imul(one ^ sign, 2_654_435_761);
    two = Math.imul(two ^ sign, 1_597_334_677);
  }
  return [one, two];
}

/** Returns a value that stays equal as long as every id leads to the same task. */
export function structureOf(tree: Pick<TaskTree, 'path' | 'tasks'>): string {
  let state: readonly [number, number] = [0xdead_beef, 0x41c6_ce57];
  for (const { path, task } of walkTasks(tree))
    state = mix(...state, `${path.length}:${task.name.length}:${task.name}`);
  return state.map((part) => (part >>> 0).toString(16).padStart(8, '0')).join('');
}

/** Returns the names from the task's file down: a key that stays the same when the task moves among its siblings. */
export function keyOf(placed: PlacedTask): string {
  const names: string[] = [];
  for (let at: PlacedTask | null = placed; at !== null && at.file === placed.file; at = at.parent)
    names.unshift(at.task.name.replace(/[\\/]/g, '\\$&'));
  return `${placed.file}#${names.join('/')}`;
}

export function findByKey(tree: TaskTree, key: string): PlacedTask | null {
  for (const placed of walkTasks(tree)) if (keyOf(placed) === key) return placed;
  return null;
}

/** A task whose key changes when the tree is saved. */
export interface MovedKey {
  readonly placed: PlacedTask;
  readonly from: string;
  readonly to: string;
}

/**
 * Returns the key changes caused by moving tasks into a file: the tasks and their order stay the same, but the new keys
 * begin with that file.
 */
export function movedKeys(before: TaskTree, after: TaskTree): readonly MovedKey[] {
  const now = walkTasks(after);
  return Array.from(walkTasks(before)).flatMap((placed) => {
    const next = now.next();
    if (next.done === true) return [];
    const [from, to] = [keyOf(placed), keyOf(next.value)];
    return from === to ? [] : [{ placed, from, to }];
  });
}
