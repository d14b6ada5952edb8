import { BUILT_IN_WORKER_NAMES } from '#protocol/built-in-worker-names.ts';
import type { LoadedTasks, TaskUpdate } from '#actors/plan/index.ts';
import { nextTask } from '#logic/plan/active-task.ts';
import { setStatus } from '#logic/plan/change-tree.ts';
import { dispatchTask, mostFailures } from '#logic/plan/dispatch-task.ts';
import { findByKey, keyOf } from '#logic/plan/find-task.ts';
import { idOf, isClosed, type PlacedTask, walkTasks } from '#logic/plan/walk-tasks.ts';
import type { TaskProblem, TaskRecord, TaskTree } from '#protocol/task-tree.ts';
import type { PickedTask, TaskPick } from '#protocol/task-work.ts';
import { readRegistry } from '../registry/read-registry.ts';
import { executionsOf, findTaskRun } from './find-task-run.ts';
import { noticesOf } from './list-tasks.ts';
import { changedByRun } from './plan-watch.ts';
import { scopeOf } from './scope.ts';
import type { TaskWorkParts } from './task-work.ts';

const NEW: TaskRecord = { run: null, counted: false, failures: 0 };

async function workerNames(root: string): Promise<readonly string[]> {
  const registry = await readRegistry(root);
  // Problems of the registry are reported when a run uses it.
  if (!registry.ok) return [];
  return registry.written ? registry.lines.map(({ name }) => name) : BUILT_IN_WORKER_NAMES;
}

const blocked = ({ file, task: { name, line } }: PlacedTask): TaskProblem => ({
  code: 'tasks_blocked',
  file,
  line: line === 0 ? null : line,
  message: `"${name}" can't continue: its open subtasks have failed; set them to pending, done or skipped`,
});

/** Returns the number of open tasks. */
const openIn = (tree: Pick<TaskTree, 'path' | 'tasks'>): number =>
  Array.from(walkTasks(tree, (task) => !isClosed(task))).filter(
    ({ task }) => task.children.length === 0 && !isClosed(task),
  ).length;

const changeOf = (change: ReturnType<typeof setStatus>): TaskUpdate | readonly TaskProblem[] =>
  change.ok ? { tree: change.tree } : [change.problem];

/** Returns the record of a task; if it names no run, the journals are searched. */
export function recordOf(
  { place }: Pick<TaskWorkParts, 'place'>,
  placed: PlacedTask,
  known: TaskRecord | undefined,
): TaskRecord {
  // If a person has set the task to pending, it is done again from the start.
  if (placed.task.status === 'pending') return NEW;
  if (known !== undefined && known.run !== null) return known;
  return { ...(known ?? NEW), run: findTaskRun(place, keyOf(placed)) };
}

/** Removes the intents of finished tasks, which remain if the engine was killed before it removed them. */
function removeLeftoverIntents({ intents }: TaskWorkParts, tree: TaskTree): void {
  for (const { task_id } of intents.pending().tasks) {
    const status = findByKey(tree, task_id)?.task.status;
    if (status !== 'active' && status !== 'pending') intents.end({ kind: 'task', task_id });
  }
}

async function asPicked(
  parts: TaskWorkParts,
  placed: PlacedTask,
  known: Readonly<Record<string, TaskRecord>>,
): Promise<PickedTask> {
  const { task, path } = placed;
  const key = keyOf(placed);
  const dispatch = dispatchTask(task, await workerNames(parts.root));
  const record = recordOf(parts, placed, known[key]);
  return { key, id: idOf(path), name: task.name, dispatch, record, most: mostFailures(task) };
}

/**
 * Returns whether the run of a task may have changed the plan unnoticed: its engine was killed, or `resume` has
 * continued it while it waited for a person.
 */
const mayBeChangedByRun = ({ intents, place }: TaskWorkParts, { meta }: LoadedTasks): boolean =>
  intents.pending().tasks.length > 0 ||
  Object.values(meta.tasks).some(
    ({ run, executions }) => run !== null && executions !== undefined && executionsOf(place, run) > executions,
  );

/**
 * Returns the next task to work on. Before that, parent tasks whose subtasks are all complete are marked as complete.
 */
export async function pickTask(parts: TaskWorkParts): Promise<TaskPick> {
  const { store } = parts;
  for (;;) {
    const loaded = await store.load();
    const notices = noticesOf(loaded);
    if (loaded.problems.length > 0) return { kind: 'problems', problems: loaded.problems, notices };
    if (loaded.changed.length > 0 && mayBeChangedByRun(parts, loaded))
      return { kind: 'problems', problems: changedByRun(loaded.changed), notices };
    removeLeftoverIntents(parts, loaded.tree);
    const scope = scopeOf(loaded);
    const next = nextTask(scope);
    if (next.kind === 'none') {
      const tasks = [...walkTasks(scope)];
      const failed = tasks.filter(({ task }) => task.status === 'failed').length;
      const outside = scope.files.length === 0 ? 0 : openIn(loaded.tree) - openIn(scope);
      return { kind: 'none', failed, total: tasks.length, outside, notices };
    }
    const { placed } = next;
    if (next.kind === 'blocked') return { kind: 'problems', problems: [blocked(placed)], notices };
    if (next.kind === 'task') return { kind: 'task', task: await asPicked(parts, placed, loaded.meta.tasks), notices };
    const path = [...scope.prefix, ...placed.path];
    const done = await store.update(({ tree }) => changeOf(setStatus(tree, path, 'done')));
    if (!done.ok) return { kind: 'problems', problems: done.problems, notices };
  }
}
