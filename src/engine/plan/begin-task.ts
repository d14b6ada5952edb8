import { ROOT_FILE } from '#actors/plan/index.ts';
import { setStatus, startWork } from '#logic/plan/change-tree.ts';
import { findByKey } from '#logic/plan/find-task.ts';
import { isClosed, type PlacedTask } from '#logic/plan/walk-tasks.ts';
import type { RunId } from '#protocol/id.ts';
import type { TaskProblem } from '#protocol/task-tree.ts';
import type { PickedTask, TaskStart } from '#protocol/task-work.ts';
import { noticesOf } from './list-tasks.ts';
import type { TaskWorkParts } from './task-work.ts';

const gone = ({ name }: PickedTask): TaskProblem => ({
  code: 'stale_id',
  message: `"${name}" no longer exists`,
  file: ROOT_FILE,
  line: null,
});

const closed = ({ file, task: { name, status, line } }: PlacedTask): TaskProblem => ({
  code: 'stale_id',
  file,
  line: line === 0 ? null : line,
  message: `"${name}" is ${status} now and was not started`,
});

/** Stores the intent, the status and the run's id, before its run starts or resumes. */
export async function beginTask({ store, intents }: TaskWorkParts, task: PickedTask, run: RunId): Promise<TaskStart> {
  const { key, record } = task;
  const attempt = intents.begin({ kind: 'task', task_id: key });
  const failures = record.failures + attempt - 1;
  const givenUp = failures > task.most;
  const done = await store.update((loaded) => {
    const placed = findByKey(loaded.tree, key);
    if (placed === null) return [gone(task)];
    // A person has closed the task meanwhile. Finished work is never repeated.
    if (isClosed(placed.task)) return [closed(placed)];
    const change = givenUp ? setStatus(loaded.tree, placed.path, 'failed') : startWork(loaded.tree, placed.path);
    const kept = givenUp ? { ...record, counted: true, failures } : { run, counted: false, failures: record.failures };
    return change.ok ? { tree: change.tree, records: { [key]: kept } } : [change.problem];
  });
  if (!done.ok || givenUp) intents.end({ kind: 'task', task_id: key });
  if (!done.ok) return { kind: 'problems', problems: done.problems, notices: noticesOf(done.loaded) };
  return givenUp ? { kind: 'given_up', failures } : { kind: 'begun' };
}
