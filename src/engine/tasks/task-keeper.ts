import path from 'node:path';
import { type Accepted, createTaskStore, freeSubFile, loadTasks } from '#actors/task-tree/index.ts';
import { fileCalls } from '#io/files/file-calls.ts';
import type { RunId } from '#protocol/id.ts';
import type { TaskProblem } from '#protocol/task-tree.ts';
import { beginTask } from './begin-task.ts';
import { type Edited, editTasks, type TaskEdit } from './edit-tasks.ts';
import { isSafeToRetry } from './find-task-run.ts';
import { type ListedTasks, listTasks } from './list-tasks.ts';
import { pickTask, recordOf } from './pick-task.ts';
import { createPlanWatch } from './plan-watch.ts';
import { settleTask } from './settle-task.ts';
import { taskPlace } from './task-place.ts';
import type { Begun, Picked, PickedTask, Settled, TaskOutcome, TaskWorkParts } from './task-work.ts';

/** The work plan of one project, for the owner of its engine. */
export interface TaskKeeper {
  list(): Promise<ListedTasks>;
  edit(edit: TaskEdit): Promise<Edited>;
  accept(): Promise<Accepted>;
  restore(): Promise<readonly string[] | TaskProblem>;
  pick(): Promise<Picked>;
  /** Stores the intent, the status and the run's id, before a run starts or resumes. */
  begin(task: PickedTask, run: RunId): Promise<Begun>;
  /** Returns the changes of the plan during the run. */
  changedMeanwhile(): Promise<readonly TaskProblem[]>;
  /** Returns whether the failed execution may be repeated without asking. */
  isSafeToRetry(run: RunId): boolean;
  /** Stores the status or the number of failures after a run. */
  settle(task: PickedTask, outcome: TaskOutcome): Promise<Settled>;
}

export function createTaskKeeper({ root, place, intents }: Omit<TaskWorkParts, 'store'>): TaskKeeper {
  const store = createTaskStore(place);
  const parts = { root, place, store, intents };
  const watch = createPlanWatch(store, place);
  return {
    list: async () => listTasks(await store.load()),
    edit: (edit) =>
      editTasks(store, edit, {
        freeNameFor: (id) => freeSubFile(place, id),
        intents,
        recordOf: (placed, known) => recordOf(parts, placed, known),
      }),
    accept: store.accept,
    restore: store.restore,
    pick: () => pickTask(parts),
    begin: async (task, run) => {
      const begun = await beginTask(parts, task, run);
      if (begun.kind === 'begun') await watch.begin();
      return begun;
    },
    changedMeanwhile: watch.end,
    isSafeToRetry: (run) => isSafeToRetry(place, run),
    settle: (task, outcome) => settleTask(parts, task, outcome),
  };
}

/** Lists the tasks of a project. Only reads, so it works while another process owns the engine. */
export const projectTasks = async (root: string): Promise<ListedTasks> =>
  listTasks(await loadTasks(taskPlace(path.join(root, '.flow'), fileCalls)));
