import type { Graph } from '#protocol/graph.ts';
import type { RunId } from '#protocol/id.ts';
import type { ScriptData } from '#protocol/journal.ts';
import type { Start } from '#protocol/run.ts';

/**
 * How the workers behave. `as_scripted`: each execution has the side-effect class from its script, or `idempotent` if
 * the script sets none. `once`: every execution is `non_idempotent`. `checked`: after a crash, a worker can determine
 * whether its work was done (`checkCompletion`).
 */
export const CONDUCTS = ['as_scripted', 'as_scripted_checked', 'once', 'once_checked'] as const;
export type Conduct = (typeof CONDUCTS)[number];

export const isChecked = (conduct: Conduct): boolean => conduct.endsWith('checked');
export const isOnce = (conduct: Conduct): boolean => conduct.startsWith('once');

/** A compiled case of the conformance kit, as stored in a file for the engine processes. */
export interface StoredCase {
  readonly graph: Graph;
  readonly start: Start;
  /** The script. `{run}` in it is replaced by the run's id. */
  readonly script: ScriptData;
  readonly input: string | null;
  readonly stepMode: boolean;
  /** True if several frames run at the same time. */
  readonly forks: boolean;
}

/** The task of a process for one run. `look`: the run has ended and is only read. */
export type Task =
  | { readonly kind: 'start'; readonly file: string }
  | { readonly kind: 'resume' | 'look'; readonly file: string; readonly run: RunId };

/**
 * A job for one process, sent as one line on its stdin. `store`: several runs in virtual time. `engine`: one run in a
 * complete engine.
 */
export interface Job {
  readonly place: 'store' | 'engine';
  /** The absolute path of the project folder, which contains `.flow` and the file of effects. */
  readonly root: string;
  /** The runs of this job, which are executed concurrently in one engine. */
  readonly tasks: readonly Task[];
  readonly conduct: Conduct;
  /** Number of processes that worked on this project folder before. */
  readonly pass: number;
  /** The point at which the process kills itself, counted from 1; null if it doesn't. */
  readonly killAt: number | null;
}

export interface RunReport {
  readonly run: RunId;
  /**
   * `settled`: the run has ended. `left`: a non-idempotent execution was cut off after its effect, so only a person can
   * decide how to continue.
   */
  readonly outcome: 'settled' | 'left';
  /** True if a crash cut off an execution and a person had to decide about it. */
  readonly asked: boolean;
  /** The Response and the summary, without ids, times and attempt numbers. */
  readonly response: string;
  readonly summary: string;
  /** `same`, or the place at which the replay deviated from the journal. */
  readonly replay: string;
  /** The Response of the replay. */
  readonly replayed: string;
}

/** A line that a process writes to stdout: the result of its job, or the point at which it kills itself. */
export type JobReport =
  | { readonly kind: 'killed'; readonly at: number; readonly point: string }
  | {
      readonly kind: 'done';
      readonly runs: readonly RunReport[];
      /** The names of all kill points that were passed, in order. */
      readonly points: readonly string[];
      /** The files in `.flow`, without those named after run ids. */
      readonly files: readonly string[];
      readonly warnings: readonly string[];
    }
  | { readonly kind: 'threw'; readonly message: string };
