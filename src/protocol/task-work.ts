import type { TaskAddress, TaskDispatch, TaskProblem, TaskRecord, TaskStatus } from './task-tree.ts';

/** Notices for a person, before the plan is saved. */
export interface TaskNotices {
  /** Files that another program has changed. */
  readonly changed: readonly string[];
  readonly dropped: readonly { readonly file: string; readonly line: number }[];
  readonly metaDamaged: boolean;
}

/** An edit requested by a person. */
export type TaskEdit =
  | {
      readonly kind: 'add';
      readonly name: string;
      /** The node that the task runs. */
      readonly node?: string;
      readonly under?: TaskAddress;
      readonly before?: TaskAddress;
    }
  | { readonly kind: 'set'; readonly task: TaskAddress; readonly status: TaskStatus }
  | { readonly kind: 'remove'; readonly task: TaskAddress }
  /** Moves a task right before another one, or to the end of the tasks below `under` (null: of the shown tree). */
  | { readonly kind: 'move'; readonly task: TaskAddress; readonly before: TaskAddress }
  | { readonly kind: 'move'; readonly task: TaskAddress; readonly under: TaskAddress | null }
  | { readonly kind: 'zoom_in'; readonly task: TaskAddress }
  | { readonly kind: 'zoom_out' };

/** A decision about changes that another program made to the plan. */
export type PlanReset = { readonly kind: 'accept' } | { readonly kind: 'restore' };

export type TaskEditOutcome =
  | {
      readonly ok: true;
      readonly notices: TaskNotices;
      /** The edited task at its new position; null if there is none. */
      readonly task: { readonly id: string; readonly name: string; readonly status: TaskStatus } | null;
      readonly scope: readonly string[];
    }
  | { readonly ok: false; readonly problems: readonly TaskProblem[]; readonly notices: TaskNotices };

/** What an edit, an acceptance or a restoration of the plan has done. `restored` lists the files. */
export type PlanEdited =
  | { readonly kind: 'edited'; readonly edited: TaskEditOutcome }
  | { readonly kind: 'accepted'; readonly accepted: AcceptedPlan }
  | { readonly kind: 'restored'; readonly restored: readonly string[] | TaskProblem };

export type AcceptedPlan =
  | { readonly ok: true; readonly changed: readonly string[] }
  | { readonly ok: false; readonly problems: readonly TaskProblem[]; readonly notices: TaskNotices };

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
