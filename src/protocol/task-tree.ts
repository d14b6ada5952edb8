import type { Ordinal } from './count.ts';
/** The state of a task in the work plan, `.flow/status.md`. */
export type TaskStatus = keyof typeof TASK_MARKER;

/** The character in a task's brackets, for each state. */
export const TASK_MARKER = {
  pending: ' ',
  active: '/',
  done: 'x',
  skipped: '-',
  failed: '!',
} as const;

/** The `key: value` pairs of the comment at the end of an item, in order. */
export type TaskMetadata = ReadonlyMap<string, string>;

export interface Task {
  /** The name exactly as written. */
  readonly name: string;
  readonly status: TaskStatus;
  readonly metadata: TaskMetadata;
  /**
   * The file that contains the task's children, relative to `.flow/`; null if they are written below the task itself.
   */
  readonly reference: string | null;
  /** The referenced file; null without a reference, or if it does not exist. */
  readonly file: TaskFile | null;
  /** Lines below the task that are not tasks: prose and code blocks, as written. */
  readonly notes: readonly string[];
  readonly children: readonly Task[];
  /** The line number, from 1; 0 for a task that does not come from a file. */
  readonly line: number;
}

export interface TaskFile {
  /** The path relative to `.flow/`, with `/` as the separator. */
  readonly path: string;
  /** Lines before the first task: `Key: Value`, and prose. */
  readonly head: readonly string[];
}

/** `status.md` with all files that it references. */
export interface TaskTree extends TaskFile {
  readonly tasks: readonly Task[];
}

/** A position from the root, counted from 0; the id `1.2` is `[0, 1]`. */
export type TaskPath = readonly number[];

/** The address of a task. */
export interface TaskAddress {
  /** The task's position at the time the tree was loaded. */
  readonly id: string;
  /** The name that the task at this position must have. */
  readonly anchor?: string;
  /** The result of `structureOf` for the tree from which the id was read. */
  readonly structure?: string;
}

/** The closed table of work plan errors; `schemas/errors.md` explains each. */
export const TASK_CODES = [
  'tasks_not_text',
  'tasks_too_large',
  'tasks_tab',
  'tasks_bad_indentation',
  'tasks_missing_marker',
  'tasks_unknown_marker',
  'tasks_missing_name',
  'tasks_bad_metadata',
  'tasks_bad_reference',
  'tasks_missing_reference',
  'tasks_reference_cycle',
  'tasks_reference_twice',
  'tasks_too_deep',
  'tasks_unclosed',
  'tasks_duplicate_name',
  'tasks_unfinished_child',
  'tasks_two_active',
  'tasks_parent_not_active',
  'tasks_changed',
  'tasks_no_backup',
  'tasks_blocked',
  'stale_id',
] as const;

export type TaskCode = (typeof TASK_CODES)[number];

export interface TaskProblem {
  readonly code: TaskCode;
  /** A message that ends with what to do. */
  readonly message: string;
  /** Relative to `.flow/`. */
  readonly file: string;
  /** The line number, from 1; null if the error belongs to no line. */
  readonly line: Ordinal | null;
}

export type TaskChange =
  { readonly ok: true; readonly tree: TaskTree } | { readonly ok: false; readonly problem: TaskProblem };

/** What executes a task: a node, a worker or a person. */
export type TaskDispatch =
  | { readonly kind: 'flow'; readonly node: string }
  | { readonly kind: 'worker'; readonly worker: string }
  | { readonly kind: 'person'; readonly why: string };

/** What the engine stores about a task beside the tree, in `.flow/status.meta`. */
export interface TaskRecord {
  /** The run that works or worked on the task; null if there is none. */
  readonly run: string | null;
  /** True once the run's failure was counted. */
  readonly counted: boolean;
  readonly failures: number;
  /** The number of executions that the run had begun when it was left waiting; absent if it was not left waiting. */
  readonly executions?: number;
}
