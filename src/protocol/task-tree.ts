/** The task tree `.flow/status.md` (spec/tasks.md). */
export type TaskStatus = 'pending' | 'active' | 'done' | 'skipped' | 'failed';

/** What is written in the brackets. */
export const TASK_MARKER: Readonly<Record<TaskStatus, string>> = {
  pending: ' ',
  active: '/',
  done: 'x',
  skipped: '-',
  failed: '!',
};

/** `key: value` of the comment at the end of an item, in order. */
export type TaskMetadata = ReadonlyMap<string, string>;

export interface Task {
  /** Byte for byte as it is written. */
  readonly name: string;
  readonly status: TaskStatus;
  readonly metadata: TaskMetadata;
  /** Of a file with its children, relative to `.flow/`; null: they are below it. */
  readonly reference: string | null;
  /** That file; null when there is no reference, or no such file. */
  readonly file: TaskFile | null;
  /** Lines below it that are no tasks, as they are written: prose and code blocks. */
  readonly notes: readonly string[];
  readonly children: readonly Task[];
  /** From 1; 0: it is not from a file. */
  readonly line: number;
}

export interface TaskFile {
  /** Relative to `.flow/`, with `/`. */
  readonly path: string;
  /** Lines before the first task: `Key: Value`, and prose. */
  readonly head: readonly string[];
}

/** `status.md` with all that it refers to. */
export interface TaskTree extends TaskFile {
  readonly tasks: readonly Task[];
}

/** From the root, counted from 0; the id `1.2` is `[0, 1]`. */
export type TaskPath = readonly number[];

/** Which task is meant. */
export interface TaskAddress {
  /** A position, as it was computed when the tree was loaded. */
  readonly id: string;
  /** The name that is expected there. */
  readonly anchor?: string;
  /** Of the tree that the id is from: `structureOf`. */
  readonly structure?: string;
}

/** What can be wrong with the tree, or with what is asked of it. Closed; `schemas/errors.md` explains each. */
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
  /** Ends with what to do. */
  readonly message: string;
  /** Relative to `.flow/`. */
  readonly file: string;
  /** From 1; null: it is about no line. */
  readonly line: number | null;
}

export type TaskChange =
  { readonly ok: true; readonly tree: TaskTree } | { readonly ok: false; readonly problem: TaskProblem };

/** What is to be done about a task, explicit intent first (spec/tasks.md "Dispatch"). */
export type TaskDispatch =
  | { readonly kind: 'flow'; readonly node: string }
  | { readonly kind: 'worker'; readonly worker: string }
  | { readonly kind: 'person'; readonly why: string };

/** What the engine remembers of a task beside the tree: `.flow/status.meta`. */
export interface TaskRecord {
  /** Works on it, or did; null: none. */
  readonly run: string | null;
  /** The run's failure has been counted. */
  readonly counted: boolean;
  readonly failures: number;
}
