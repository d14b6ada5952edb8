import type { createTaskStore, TaskPlace } from '#actors/task-tree/index.ts';
import type { createIntentLock } from '#actors/engine-lock/index.ts';
import type { TaskDispatch, TaskProblem, TaskRecord, TaskStatus } from '#protocol/task-tree.ts';
import type { TaskNotices } from './list-tasks.ts';

/** The parts that all functions for tasks share. */
export interface TaskWorkParts {
  readonly root: string;
  readonly place: TaskPlace;
  readonly store: ReturnType<typeof createTaskStore>;
  readonly intents: ReturnType<typeof createIntentLock>;
}

/** A task to work on now. */
export interface PickedTask {
  /** Its key, which does not change when it moves among its siblings. */
  readonly key: string;
  readonly id: string;
  readonly name: string;
  readonly dispatch: TaskDispatch;
  readonly record: TaskRecord;
  /** The number of failures after which it is marked as failed for good. */
  readonly most: number;
}

export type TaskPick =
  | { readonly kind: 'task'; readonly task: PickedTask; readonly notices: TaskNotices }
  /** `failed`: the number of tasks that need a person. `outside`: the number of open tasks outside of the scope. */
  | {
      readonly kind: 'none';
      readonly failed: number;
      readonly total: number;
      readonly outside: number;
      readonly notices: TaskNotices;
    }
  | { readonly kind: 'problems'; readonly problems: readonly TaskProblem[]; readonly notices: TaskNotices };

/** `waits`: for a person, or to be resumed. */
export type TaskOutcome = 'completed' | 'failed' | 'cancelled' | 'waits';

export type TaskSettlement =
  | {
      readonly ok: true;
      /** Its current status; null if the task is no longer in the tree. */
      readonly status: TaskStatus | null;
      readonly failures: number;
      readonly notices: TaskNotices;
    }
  | { readonly ok: false; readonly problems: readonly TaskProblem[]; readonly notices: TaskNotices };

export type TaskStart =
  | { readonly kind: 'begun' }
  /** It has failed or crashed too often, and is marked as failed. */
  | { readonly kind: 'given_up'; readonly failures: number }
  | { readonly kind: 'problems'; readonly problems: readonly TaskProblem[]; readonly notices: TaskNotices };
