import type { Count } from './count.ts';
import type { TaskStatus } from './task-tree.ts';

/** One task, as displayed and printed. */
export interface TaskLine {
  readonly id: string;
  readonly name: string;
  readonly status: TaskStatus;
  readonly depth: Count;
  readonly reference: string | null;
  readonly metadata: Readonly<Record<string, string>>;
  /** The run that works or has worked on the task. */
  readonly run: string | null;
  readonly failures: Count;
}

/** The tasks in scope, in written order, as `robosmith tasks --json` prints them. */
export interface TaskPlan {
  /** The path of the listed file, relative to `.flow/`. */
  readonly file: string;
  /** The files that the user has entered with `robosmith zoom in`, outermost first; empty for the whole plan. */
  readonly scope: readonly string[];
  readonly header: Readonly<Record<string, string>>;
  /** A fingerprint of the tree's structure. The ids of the tasks are valid only for this structure. */
  readonly structure: string;
  /** The id of the next task; null if none is left. */
  readonly active: string | null;
  readonly tasks: readonly TaskLine[];
}
