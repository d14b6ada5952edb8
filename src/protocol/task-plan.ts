import type { TaskStatus } from './task-tree.ts';

/** One task, as displayed and printed. */
export interface TaskLine {
  readonly id: string;
  readonly name: string;
  readonly status: TaskStatus;
  readonly depth: number;
  readonly reference: string | null;
  readonly metadata: Readonly<Record<string, string>>;
  /** The run that works or has worked on the task. */
  readonly run: string | null;
  readonly failures: number;
}

/** The tasks in scope, in written order. `robosmith tasks --json` prints it. */
export interface TaskPlan {
  /** The path of the listed file, relative to `.flow/`. */
  readonly file: string;
  /** The files that were zoomed into. */
  readonly scope: readonly string[];
  readonly header: Readonly<Record<string, string>>;
  /** A fingerprint of the structure of the tree, which the ids of the tasks depend on. */
  readonly structure: string;
  /** The id of the next task; null if none is left. */
  readonly active: string | null;
  readonly tasks: readonly TaskLine[];
}
