import type { LoadedTasks, TaskUpdate } from '#actors/plan/index.ts';
import { closedAbove, setStatus, startWork } from '#logic/plan/change-tree.ts';
import { findByKey } from '#logic/plan/find-task.ts';
import { isClosed, type PlacedTask } from '#logic/plan/walk-tasks.ts';
import type { TaskProblem, TaskRecord, TaskStatus, TaskTree } from '#protocol/task-tree.ts';
import type { PickedTask, TaskOutcome, TaskSettlement } from '#protocol/task-work.ts';
import { executionsOf } from './find-task-run.ts';
import { noticesOf } from './list-tasks.ts';
import type { TaskWorkParts } from './task-work.ts';

/** A task's status, and its number of failures. */
interface Mark {
  readonly status: TaskStatus | null;
  readonly failures: number;
}

interface Marked extends Mark {
  readonly status: TaskStatus;
  readonly record: TaskRecord | null;
}

function markOf(
  tree: TaskTree,
  placed: PlacedTask,
  known: TaskRecord,
  outcome: Exclude<TaskOutcome, 'waits'>,
  most: number,
): Marked {
  const was = placed.task.status;
  const failures = known.failures + (outcome === 'failed' ? 1 : 0);
  // A person's decision is not overwritten.
  if (isClosed(placed.task)) return { status: was, failures, record: null };
  if (outcome === 'completed') return { status: 'done', failures, record: null };
  if (outcome === 'cancelled') return { status: 'pending', failures, record: null };
  const open = closedAbove(tree, placed.path) === null ? 'active' : was;
  return { status: failures > most ? 'failed' : open, failures, record: { ...known, counted: true, failures } };
}

/**
 * Returns the function that sets the task's status in the tree. Each time the store calls it, it passes the resulting
 * mark to `told`.
 */
function marking(
  { key, most, record: mine }: PickedTask,
  outcome: Exclude<TaskOutcome, 'waits'>,
  onMark: (mark: Mark) => void,
) {
  return ({ tree, meta }: LoadedTasks): TaskUpdate | readonly TaskProblem[] => {
    const placed = findByKey(tree, key);
    if (placed === null) {
      onMark({ status: null, failures: 0 });
      return { records: { [key]: null } };
    }
    const marked = markOf(tree, placed, meta.tasks[key] ?? { ...mine, counted: false }, outcome, most);
    const { status, record } = marked;
    onMark(marked);
    const records = { [key]: record };
    if (status === placed.task.status) return { records };
    const change = status === 'active' ? startWork(tree, placed.path) : setStatus(tree, placed.path, status);
    return change.ok ? { tree: change.tree, records } : [change.problem];
  };
}

/** Records how many executions a waiting task's run has begun, so that later executions are detected. */
const noting =
  (place: TaskWorkParts['place'], key: string) =>
  ({ meta }: LoadedTasks): TaskUpdate => {
    const known = meta.tasks[key];
    if (known === undefined || known.run === null) return {};
    return { records: { [key]: { ...known, executions: executionsOf(place, known.run) } } };
  };

/** Stores the status or the number of failures after a task's run. */
export async function settleTask(
  { store, place, intents }: TaskWorkParts,
  task: PickedTask,
  outcome: TaskOutcome,
): Promise<TaskSettlement> {
  let mark: Mark = { status: null, failures: 0 };
  const done =
    outcome === 'waits' ? null : await store.update(marking(task, outcome, (marked) => void (mark = marked)));
  if (done === null) await store.update(noting(place, task.key));
  intents.end({ kind: 'task', task_id: task.key });
  if (done === null) {
    const loaded = await store.load();
    const status = findByKey(loaded.tree, task.key)?.task.status ?? null;
    return { ok: true, status, failures: task.record.failures, notices: noticesOf(loaded) };
  }
  const notices = noticesOf(done.loaded);
  const { status, failures } = mark;
  return done.ok ? { ok: true, status, failures, notices } : { ok: false, problems: done.problems, notices };
}
