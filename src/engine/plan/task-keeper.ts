import path from 'node:path';
import { createTaskStore, freeSubFile, loadTasks } from '#actors/plan/index.ts';
import { fileCalls } from '#io/files/file-calls.ts';
import { createSerialiser } from '#io/files/serialise.ts';
import { RoboSmithError } from '#protocol/error.ts';
import type { RunId } from '#protocol/id.ts';
import type { TaskProblem } from '#protocol/task-tree.ts';
import type {
  AcceptedPlan,
  PickedTask,
  TaskEdit,
  TaskEditOutcome,
  TaskOutcome,
  TaskPick,
  TaskSettlement,
  TaskStart,
} from '#protocol/task-work.ts';
import { beginTask } from './begin-task.ts';
import { editTasks } from './edit-tasks.ts';
import { isSafeToRetry } from './find-task-run.ts';
import { type ListedTasks, listTasks, noticesOf } from './list-tasks.ts';
import { pickTask, recordOf } from './pick-task.ts';
import { createPlanWatch } from './plan-watch.ts';
import { settleTask } from './settle-task.ts';
import { taskPlace } from './task-place.ts';
import type { TaskWorkParts } from './task-work.ts';

/** The work plan of one project, for the owner of its engine. */
export interface TaskKeeper {
  list(): Promise<ListedTasks>;
  edit(edit: TaskEdit): Promise<TaskEditOutcome>;
  /** Throws `refused` if a process was started by a step of a run, which must not edit the plan. */
  checkEditor(pid: number): void;
  accept(): Promise<AcceptedPlan>;
  restore(): Promise<readonly string[] | TaskProblem>;
  pick(): Promise<TaskPick>;
  /** Stores the intent, the status and the run's id, before a run starts or resumes. */
  begin(task: PickedTask, run: RunId): Promise<TaskStart>;
  /** Returns the changes of the plan during the run. */
  changedMeanwhile(): Promise<readonly TaskProblem[]>;
  /** Stores the status or the number of failures after a run. */
  settle(task: PickedTask, outcome: TaskOutcome): Promise<TaskSettlement>;
}

interface TaskKeeperParts extends Omit<TaskWorkParts, 'store'> {
  /** Returns whether a process may belong to a step of a run. */
  readonly isOfStep: (pid: number) => boolean;
}

export function createTaskKeeper({ root, place, intents, isOfStep }: TaskKeeperParts): TaskKeeper {
  const store = createTaskStore(place);
  const parts = { root, place, store, intents };
  const watch = createPlanWatch(store, place);
  // The store has one user at a time: clients of one engine may ask at the same time.
  const inTurn = createSerialiser();
  return {
    list: async () => listTasks(await store.load()),
    edit: (edit) =>
      inTurn(() =>
        editTasks(watch.editing, edit, {
          freeNameFor: (id) => freeSubFile(place, id),
          intents,
          recordOf: (placed, known) => recordOf(parts, placed, known),
        }),
      ),
    checkEditor: (pid) => {
      if (isOfStep(pid))
        throw new RoboSmithError('refused', "A process that a run has started can't edit the work plan.", {
          next: ['robosmith tasks'],
        });
    },
    accept: () =>
      inTurn(async () => {
        const done = await store.accept();
        return done.ok ? done : { ok: false, problems: done.problems, notices: noticesOf(done.loaded) };
      }),
    restore: () => inTurn(store.restore),
    pick: () => inTurn(() => pickTask(parts)),
    begin: (task, run) =>
      inTurn(async () => {
        const begun = await beginTask(parts, task, run);
        if (begun.kind === 'begun') await watch.begin(task.key);
        return begun;
      }),
    changedMeanwhile: () => inTurn(watch.end),
    settle: (task, outcome) =>
      inTurn(async () => {
        // The engine itself now changes the plan.
        await watch.end();
        return settleTask(parts, task, outcome);
      }),
  };
}

/** Lists the tasks of a project. Only reads, so it works while another process owns the engine. */
export const projectTasks = async (root: string): Promise<ListedTasks> =>
  listTasks(await loadTasks(taskPlace(path.join(root, '.flow'), fileCalls)));

/** Returns whether the failed execution of a task's run may be repeated without asking. */
export const mayRetryTask = (root: string, run: RunId): boolean =>
  isSafeToRetry({ calls: fileCalls, folder: path.join(root, '.flow') }, run);
