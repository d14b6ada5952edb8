import path from 'node:path';
import { type Accepted, createTaskStore, freeSubFile, loadTasks, type TaskStore } from '#actors/task-tree/index.ts';
import { fileCalls } from '#io/files/file-calls.ts';
import type { ControlAnswer } from '#protocol/control.ts';
import type { RunId } from '#protocol/id.ts';
import type { JsonObject } from '#protocol/json.ts';
import type { TaskProblem } from '#protocol/task-tree.ts';
import { beginTask } from './begin-task.ts';
import { type TaskEditOutcome, editTasks, type TaskEdit } from './edit-tasks.ts';
import { isSafeToRetry } from './find-task-run.ts';
import { type ListedTasks, listTasks } from './list-tasks.ts';
import { pickTask, recordOf } from './pick-task.ts';
import { createPlanWatch } from './plan-watch.ts';
import { answerOf, createQueuedEdits, readEdit } from './queued-edits.ts';
import { settleTask } from './settle-task.ts';
import { taskPlace } from './task-place.ts';
import type { TaskStart, TaskPick, PickedTask, TaskSettlement, TaskOutcome, TaskWorkParts } from './task-work.ts';

/** The work plan of one project, for the owner of its engine. */
export interface TaskKeeper {
  list(): Promise<ListedTasks>;
  edit(edit: TaskEdit): Promise<TaskEditOutcome>;
  /** Edits the plan for another process: now, or when the current task ends. */
  editFor(edit: JsonObject): Promise<ControlAnswer>;
  accept(): Promise<Accepted>;
  restore(): Promise<readonly string[] | TaskProblem>;
  pick(): Promise<TaskPick>;
  /** Stores the intent, the status and the run's id, before a run starts or resumes. */
  begin(task: PickedTask, run: RunId): Promise<TaskStart>;
  /** Returns the changes of the plan during the run. */
  changedMeanwhile(): Promise<readonly TaskProblem[]>;
  /** Returns whether the failed execution may be repeated without asking. */
  isSafeToRetry(run: RunId): boolean;
  /** Stores the status or the number of failures after a run. */
  settle(task: PickedTask, outcome: TaskOutcome): Promise<TaskSettlement>;
}

interface TaskKeeperParts extends Omit<TaskWorkParts, 'store'> {
  readonly warn: (message: string) => void;
}

export function createTaskKeeper({ root, place, intents, warn }: TaskKeeperParts): TaskKeeper {
  const store = createTaskStore(place);
  const parts = { root, place, store, intents };
  const watch = createPlanWatch(store, place);
  const apply = (to: TaskStore, edit: TaskEdit): Promise<TaskEditOutcome> =>
    editTasks(to, edit, {
      freeNameFor: (id) => freeSubFile(place, id),
      intents,
      recordOf: (placed, known) => recordOf(parts, placed, known),
    });
  const queued = createQueuedEdits({ store, apply, warn });
  return {
    list: async () => listTasks(await store.load()),
    edit: (edit) => apply(store, edit),
    editFor: async (asked) => {
      const edit = readEdit(asked);
      if (edit === null) return { accepted: false, message: 'the request is not an edit of the work plan' };
      const isQueued = watch.isOpen();
      return answerOf(isQueued ? await queued.add(edit) : await apply(store, edit), isQueued);
    },
    accept: store.accept,
    restore: store.restore,
    pick: () => pickTask(parts),
    begin: async (task, run) => {
      const begun = await beginTask(parts, task, run);
      if (begun.kind === 'begun') await watch.begin();
      return begun;
    },
    changedMeanwhile: async () => {
      const problems = await watch.end();
      if (problems.length > 0) queued.drop();
      return problems;
    },
    isSafeToRetry: (run) => isSafeToRetry(place, run),
    settle: async (task, outcome) => {
      const settled = await settleTask(parts, task, outcome);
      await queued.make();
      return settled;
    },
  };
}

/** Lists the tasks of a project. Only reads, so it works while another process owns the engine. */
export const projectTasks = async (root: string): Promise<ListedTasks> =>
  listTasks(await loadTasks(taskPlace(path.join(root, '.flow'), fileCalls)));
