import type { Task, TaskChange, TaskCode, TaskPath, TaskStatus, TaskTree } from '#protocol/task-tree.ts';
import { checkTree } from './check-tree.ts';
import { taskAt } from './find-task.ts';
import { isClosed, isFinished } from './walk-tasks.ts';

type Siblings = readonly Task[];

/** Changes the siblings at a path. */
function editSiblings(
  tasks: Siblings,
  path: TaskPath,
  edit: (siblings: Siblings, index: number) => Siblings,
): Siblings {
  const [index = 0, ...below] = path;
  if (below.length === 0) return edit(tasks, index);
  return tasks.map((task, at) =>
    at === index ? { ...task, children: editSiblings(task.children, below, edit) } : task,
  );
}

const editTask = (tree: TaskTree, path: TaskPath, edit: (task: Task) => Task): TaskTree => ({
  ...tree,
  tasks: editSiblings(tree.tasks, path, (siblings, index) =>
    siblings.map((task, at) => (at === index ? edit(task) : task)),
  ),
});

const marked = (tree: TaskTree, path: TaskPath, status: TaskStatus): TaskTree =>
  editTask(tree, path, (task) => ({ ...task, status }));

type TreeRefusal = Extract<TaskChange, { readonly ok: false }>;

const refused = (tree: TaskTree, code: TaskCode, message: string): TreeRefusal => ({
  ok: false,
  problem: { code, message, file: tree.path, line: null },
});

/** Returns the change, or the problems if a rule forbids the new tree. */
function checked(tree: TaskTree): TaskChange {
  const [first] = checkTree(tree);
  return first === undefined ? { ok: true, tree } : { ok: false, problem: first };
}

/** Completes the parent tasks whose children are all finished. */
function completeUpwards(tree: TaskTree, path: TaskPath): TaskTree {
  let changed = tree;
  for (let above = path.slice(0, -1); above.length > 0; above = above.slice(0, -1)) {
    const parent = taskAt(changed, above)?.task;
    if (parent === undefined || isClosed(parent)) break;
    if (!parent.children.every(isFinished)) break;
    const done = parent.children.some(({ status }) => status === 'done');
    changed = marked(changed, above, done ? 'done' : 'skipped');
  }
  return changed;
}

/** Makes active tasks pending. */
const stopped = (task: Task): Task => ({
  ...task,
  status: task.status === 'active' ? 'pending' : task.status,
  children: task.children.map(stopped),
});

/**
 * Sets a status on behalf of a person. Activating needs an active parent and no active sibling; finishing the last
 * child finishes the parent; nothing is active below a closed task.
 */
export function setStatus(tree: TaskTree, path: TaskPath, status: TaskStatus): TaskChange {
  if (status === 'active') {
    const above = path.slice(0, -1);
    const parent = above.length === 0 ? null : taskAt(tree, above);
    if (parent !== null && parent.task.status !== 'active')
      return refused(
        tree,
        'tasks_parent_not_active',
        `"${parent.task.name}" above it is ${parent.task.status}: activate that first`,
      );
  }
  const changed =
    status === 'skipped' || status === 'failed'
      ? editTask(tree, path, (task) => ({ ...task, status, children: task.children.map(stopped) }))
      : marked(tree, path, status);
  return checked(status === 'done' || status === 'skipped' ? completeUpwards(changed, path) : changed);
}

/** Returns the first closed task on the way to this one, or null. */
export function closedAbove(tree: TaskTree, path: TaskPath): Task | null {
  for (let length = 1; length < path.length; length += 1) {
    const above = taskAt(tree, path.slice(0, length))?.task;
    if (above !== undefined && isClosed(above)) return above;
  }
  return null;
}

/** Activates a task for the engine, with all tasks above it. A closed task is never reopened. */
export function startWork(tree: TaskTree, path: TaskPath): TaskChange {
  let changed = tree;
  const closed = closedAbove(tree, path);
  if (closed !== null)
    return refused(
      tree,
      'tasks_parent_not_active',
      `"${closed.name}" above it is ${closed.status}: set that to pending first`,
    );
  for (let length = 1; length <= path.length; length += 1) changed = marked(changed, path.slice(0, length), 'active');
  return checked(changed);
}

export interface NewTask {
  readonly name: string;
  readonly metadata: Task['metadata'];
}

/** Where a task is placed: at the end of the tasks below `under` (`[]`: the whole tree), or right before another. */
type TaskPlacement = { readonly under: TaskPath } | { readonly before: TaskPath };

/** Refuses to add a task below one whose file of subtasks does not exist; null if the place is fine. */
function whyNotUnder(tree: TaskTree, place: TaskPlacement): TreeRefusal | null {
  const parent = 'under' in place && place.under.length > 0 ? taskAt(tree, place.under)?.task : undefined;
  if (parent === undefined || parent.reference === null || parent.file !== null) return null;
  return refused(
    tree,
    'tasks_missing_reference',
    `there is no .flow/${parent.reference}: zoom in first, which creates it`,
  );
}

function insertTask(tree: TaskTree, task: Task, place: TaskPlacement): TaskTree {
  if ('before' in place)
    return {
      ...tree,
      tasks: editSiblings(tree.tasks, place.before, (siblings, index) => siblings.toSpliced(index, 0, task)),
    };
  if (place.under.length === 0) return { ...tree, tasks: [...tree.tasks, task] };
  return editTask(tree, place.under, (one) => ({ ...one, children: [...one.children, task] }));
}

/** Adds a pending task at the end of the tasks below `under` (`[]`: the whole tree), or right before another. */
export function addTask(tree: TaskTree, { name, metadata }: NewTask, place: TaskPlacement): TaskChange {
  const task: Task = {
    name,
    metadata,
    status: 'pending',
    reference: null,
    file: null,
    notes: [],
    children: [],
    line: 0,
  };
  return whyNotUnder(tree, place) ?? checked(insertTask(tree, task, place));
}

/** Removes a task and everything below it. If all remaining children are finished, the parent is completed. */
export function removeTask(tree: TaskTree, path: TaskPath): TaskChange {
  const changed: TaskTree = {
    ...tree,
    tasks: editSiblings(tree.tasks, path, (siblings, index) => siblings.toSpliced(index, 1)),
  };
  const parent = taskAt(changed, path.slice(0, -1))?.task;
  return checked(parent === undefined || parent.children.length === 0 ? changed : completeUpwards(changed, path));
}

/** Returns whether a path is another one or leads to a task below it. */
const isWithin = (path: TaskPath, top: TaskPath): boolean => top.every((index, depth) => path[depth] === index);

/** Returns the path that leads to the same task after another task was removed. */
function afterRemoval(path: TaskPath, removed: TaskPath): TaskPath {
  const depth = removed.length - 1;
  const [index, gone] = [path[depth], removed[depth]];
  const isLaterSibling =
    index !== undefined && gone !== undefined && index > gone && isWithin(path, removed.slice(0, -1));
  return isLaterSibling ? path.with(depth, index - 1) : path;
}

/** Returns the path that leads to the same task after one was inserted at another path. */
function afterInsertion(path: TaskPath, inserted: TaskPath | null): TaskPath {
  if (inserted === null) return path;
  const depth = inserted.length - 1;
  const [index, at] = [path[depth], inserted[depth]];
  const isLater = index !== undefined && at !== undefined && index >= at && isWithin(path, inserted.slice(0, -1));
  return isLater ? path.with(depth, index + 1) : path;
}

const isActive = (task: Task): boolean => task.status === 'active' || task.children.some(isActive);

const isSameList = (path: TaskPath, other: TaskPath): boolean =>
  path.length === other.length && isWithin(path, other.slice(0, -1));

type MovedTask = { readonly ok: true; readonly tree: TaskTree; readonly path: TaskPath } | TreeRefusal;

/**
 * Moves a task with everything below it. A task that is worked on can only be moved among its siblings, because its run
 * belongs to its place. If all remaining children of the old parent are finished, that parent is completed.
 */
export function moveTask(tree: TaskTree, path: TaskPath, place: TaskPlacement): MovedTask {
  const task = taskAt(tree, path)?.task;
  const target = 'before' in place ? place.before : place.under;
  if (task === undefined) return refused(tree, 'stale_id', 'the task to move is no longer there');
  if (isWithin(target, path) && ('under' in place || target.length > path.length))
    return refused(tree, 'stale_id', `"${task.name}" can't be moved below itself`);
  const list = 'before' in place ? target : [...target, 0];
  if (isActive(task) && !isSameList(path, list))
    return refused(
      tree,
      'tasks_parent_not_active',
      `"${task.name}" is being worked on: set it to pending first, or move it among its siblings`,
    );
  const removed: TaskTree = {
    ...tree,
    tasks: editSiblings(tree.tasks, path, (siblings, index) => siblings.toSpliced(index, 1)),
  };
  const why = whyNotUnder(tree, place);
  if (why !== null) return why;
  const to = afterRemoval(target, path);
  const moved = insertTask(removed, task, 'before' in place ? { before: to } : { under: to });
  const above = afterInsertion(path.slice(0, -1), 'before' in place ? to : null);
  const parent = taskAt(moved, above)?.task;
  const settled = parent === undefined || parent.children.length === 0 ? moved : completeUpwards(moved, [...above, 0]);
  const change = checked(settled);
  if (!change.ok) return change;
  const siblings = to.length === 0 ? settled.tasks : (taskAt(settled, to)?.task.children ?? []);
  return { ok: true, tree: change.tree, path: 'before' in place ? to : [...to, siblings.length - 1] };
}

/** Moves a task's children into a file of their own. */
export const linkFile = (tree: TaskTree, path: TaskPath, file: string): TaskTree =>
  editTask(tree, path, (task) => ({ ...task, reference: file, file: { path: file, head: [] } }));
