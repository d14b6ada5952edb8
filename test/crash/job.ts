import type { Graph } from '#protocol/graph.ts';
import type { RunId } from '#protocol/id.ts';
import type { ScriptData } from '#protocol/journal.ts';
import type { Start } from '#protocol/run.ts';

/**
 * How the workers behave. `as_scripted`: each execution has the class that its script gives it, `idempotent` when it gives none.
 * `once`: every execution is `non_idempotent`. `checked`: a worker can tell afterwards whether it was done (`checkCompletion`).
 */
export const CONDUCTS = ['as_scripted', 'as_scripted_checked', 'once', 'once_checked'] as const;
export type Conduct = (typeof CONDUCTS)[number];

export const isChecked = (conduct: Conduct): boolean => conduct.endsWith('checked');
export const isOnce = (conduct: Conduct): boolean => conduct.startsWith('once');

/** A case of the kit, compiled; a process reads it from a file. */
export interface StoredCase {
  readonly graph: Graph;
  readonly start: Start;
  /** `{run}` in it stands for the id of the run. */
  readonly script: ScriptData;
  readonly input: string | null;
  readonly stepMode: boolean;
  /** Several frames are under way at a time. */
  readonly forks: boolean;
}

/** What a process does about one run. `look`: it is over, nothing is executed any more. */
export type Task =
  | { readonly kind: 'start'; readonly file: string }
  | { readonly kind: 'resume' | 'look'; readonly file: string; readonly run: RunId };

/**
 * What one process is to do, as one line on its stdin. `store`: several runs in virtual time. `engine`: one run in a whole engine.
 * `claim`: nothing but to have the engine.
 */
export interface Job {
  readonly place: 'store' | 'engine' | 'claim';
  /** Absolute; `.flow` is in it, and the file of effects. */
  readonly root: string;
  /** Several are under way at the same time, in one engine. */
  readonly tasks: readonly Task[];
  readonly conduct: Conduct;
  /** Processes that worked on this root before. */
  readonly pass: number;
  /** It kills itself at this point, counted from 1; null: it does not. */
  readonly killAt: number | null;
}

export interface RunReport {
  readonly run: RunId;
  /** `left`: an execution that must not be repeated was cut off after its effect, and only a person can know how to go on. */
  readonly outcome: 'settled' | 'left';
  /** A person was asked what to do about an execution that was cut off. */
  readonly asked: boolean;
  /** Response and summary without ids, times and attempt numbers. */
  readonly response: string;
  readonly summary: string;
  /** `same`, or where the replay of the journal parted from it. */
  readonly replay: string;
  /** The replay's Response. */
  readonly replayed: string;
}

/** One line on stdout: the last words of a process, or what came of its job. */
export type Told =
  | { readonly kind: 'killed'; readonly at: number; readonly point: string }
  | {
      readonly kind: 'done';
      readonly runs: readonly RunReport[];
      /** The names of all points, in order. */
      readonly points: readonly string[];
      /** What is in `.flow`, run ids apart. */
      readonly files: readonly string[];
      readonly warnings: readonly string[];
    }
  /** Which process has the engine; null: this one has let go of it. */
  | { readonly kind: 'claimed'; readonly owner: number | null }
  | { readonly kind: 'threw'; readonly message: string };
