import type { createTaskStore, TaskPlace } from '#actors/task-tree/index.ts';
import type { createIntentLock } from '#actors/engine-lock/index.ts';
import type { TaskDispatch, TaskProblem, TaskRecord, TaskStatus } from '#protocol/task-tree.ts';
import type { TaskNotices } from './list-tasks.ts';

/** What those who work on tasks share. */
export interface TaskWorkParts {
  readonly root: string;
  readonly place: TaskPlace;
  readonly store: ReturnType<typeof createTaskStore>;
  readonly intents: ReturnType<typeof createIntentLock>;
}

/** A task that is to be worked on now. */
export interface PickedTask {
  /** The same wherever it is moved to among its siblings. */
  readonly key: string;
  readonly id: string;
  readonly name: string;
  readonly dispatch: TaskDispatch;
  readonly record: TaskRecord;
  /** More failures than that, and it is given up. */
  readonly most: number;
}

export type Picked =
  | { readonly kind: 'task'; readonly task: PickedTask; readonly notices: TaskNotices }
  /** `failed`: how many there are that only a person can go on with. `outside`: that are open, and not in the scope. */
  | {
      readonly kind: 'none';
      readonly failed: number;
      readonly total: number;
      readonly outside: number;
      readonly notices: TaskNotices;
    }
  | { readonly kind: 'problems'; readonly problems: readonly TaskProblem[]; readonly notices: TaskNotices };

/** `waits`: for a person, or for being gone on with. */
export type TaskOutcome = 'completed' | 'failed' | 'cancelled' | 'waits';

export type Settled =
  | {
      readonly ok: true;
      /** Its marker now; null: the task is not in the tree any more. */
      readonly status: TaskStatus | null;
      readonly failures: number;
      readonly notices: TaskNotices;
    }
  | { readonly ok: false; readonly problems: readonly TaskProblem[]; readonly notices: TaskNotices };

export type Begun =
  | { readonly kind: 'begun' }
  /** It has failed, or crashed, too often: it is marked as failed. */
  | { readonly kind: 'given_up'; readonly failures: number }
  | { readonly kind: 'problems'; readonly problems: readonly TaskProblem[]; readonly notices: TaskNotices };
