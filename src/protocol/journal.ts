import type { Approvals } from './approvals.ts';
import type { RecordedEnvironment } from './environment.ts';
import type { Graph, SideEffects } from './graph.ts';
import type { BlockId, HaltId, RunId, SessionId } from './id.ts';
import type { JsonObject } from './json.ts';
import type { Answer, Halt, HaltReason, PathEntry, Reason } from './response.ts';
import type { Start, StepResult } from './run.ts';
import type { ScriptEntry, ScriptedAnswer } from './script.ts';
import type { Spent } from './spent.ts';

/** The version of the format of journal lines. A reader supports all versions up to this one. */
export const JOURNAL_VERSION = 1;

/**
 * The number of the newest feature that a run may use. Each opening of a run records the number of its build, and a build
 * refuses a run with a higher one. Increase it with each change of the semantics of journals or manifests that an
 * earlier build would misread.
 */
export const JOURNAL_FEATURES = 1;

/** Data beside the journal, in `.flow/blobs/<sha256>`. */
export interface BlobRef {
  readonly blob: string;
  /** Size as UTF-8. */
  readonly bytes: number;
}

/** A step key without the run id, so that it is equal in all forks of a run. */
export type LocalKey = string & { readonly localKey: never };

export interface ScriptData {
  readonly answers: Readonly<Record<string, readonly ScriptEntry[]>>;
  readonly halts: readonly ScriptedAnswer[];
}

/** Everything that a run was started with, except its manifest. */
export interface StartData {
  readonly start: Start;
  readonly input: string | null;
  readonly stepMode: boolean;
  /** The manifest's path, for messages. */
  readonly source: string | null;
  readonly script: ScriptData | null;
  /** Scripts by the name of the worker. */
  readonly scripts: Readonly<Record<string, ScriptData>>;
  /** The most that agents may do without approval; absent without a limit. */
  readonly approvals?: Approvals;
  /** The key of the run's task in the work plan; absent without a task. */
  readonly task?: string;
  /** The session that the run works for; absent without one. */
  readonly session?: SessionId;
}

/** The manifest that a run executes. Later changes of the file don't affect it. */
export interface StoredManifest {
  readonly version: typeof JOURNAL_VERSION;
  readonly graph: Graph;
}

/** Why an engine opened the run. */
export type Opening = 'start' | 'after_stop' | 'after_crash';

export interface HeaderEntry {
  readonly type: 'run';
  readonly version: number;
  readonly run: RunId;
  readonly trace: string;
  /** Milliseconds since the epoch, as all times here. */
  readonly at: number;
  readonly started: StartData;
  readonly manifest: BlobRef;
  /** The run's folder: relative to the project's root if inside, with `/`; else absolute. */
  readonly directory: string | null;
  /** Present only in forks: the step at which the fork begins. No earlier step is executed again. */
  readonly forkedFrom: { readonly run: RunId; readonly step: number } | null;
}

/** One line of a journal. */
export type JournalEntry =
  | HeaderEntry
  /**
   * `by` is the claim of the engine that executes the run from here on, `engine` its version (`ENGINE_VERSION`). Both
   * are absent in journals of earlier versions. `environment`: the variables that the run's programs get from here on;
   * absent if the run has no programs to start. `features`: `JOURNAL_FEATURES` of the build; absent is 0.
   */
  | {
      readonly type: 'open';
      readonly at: number;
      readonly why: Opening;
      readonly by?: string;
      readonly engine?: string;
      readonly environment?: RecordedEnvironment;
      readonly features?: number;
    }
  /** The intent: an execution is about to begin. */
  | {
      readonly type: 'intent';
      readonly key: LocalKey;
      readonly attempt: number;
      readonly worker: string;
      readonly sideEffects: SideEffects;
      /** The commit that holds the files of the session's worktree before the execution; absent if none was made. */
      readonly snapshot?: string;
      /**
       * The session's change plan, if it determines what this execution may write. A repeated execution uses the same
       * plan.
       */
      readonly plan?: readonly string[];
      readonly at: number;
    }
  /** The execution was stopped before its worker started: nothing was executed, so a repetition is safe. */
  | { readonly type: 'unbegun'; readonly key: LocalKey; readonly attempt: number; readonly at: number }
  | {
      readonly type: 'result';
      readonly key: LocalKey;
      readonly attempt: number;
      readonly stepped: StepResult | BlobRef;
      /** True if `checkCompletion` found after a crash that the work was already done, so that nothing was executed. */
      readonly found?: true;
      /** True if a person rolled back the execution. The entry records only that a script entry was used. */
      readonly takenBack?: true;
      /** The usage of the execution, if it is recorded separately from the result. */
      readonly spent?: Spent;
      readonly at: number;
    }
  | {
      readonly type: 'halt';
      readonly key: LocalKey;
      readonly halt: HaltId;
      readonly block: BlockId;
      readonly why: HaltReason;
      /** The time at which the halt answers itself; null if only a person can. */
      readonly until: number | null;
      /** The number of rejections that are left. Absent if the halt does not accept `reject`. For display only. */
      readonly rejections_left?: number;
      /** The end of the last output, for display only. */
      readonly last?: NonNullable<Halt['last']>;
      readonly at: number;
    }
  | {
      readonly type: 'answer';
      readonly key: LocalKey;
      readonly halt: HaltId;
      readonly answer: Answer;
      readonly at: number;
    }
  | { readonly type: 'path'; readonly entry: PathEntry }
  /** A recovery policy delays the execution after this one until a time, in milliseconds since the epoch. */
  | {
      readonly type: 'delay';
      readonly key: LocalKey;
      readonly attempt: number;
      readonly until: number;
      readonly at: number;
    }
  /** The usage of an execution that was cut off or rolled back. It counts for this run, but not for its forks. */
  | { readonly type: 'spent'; readonly execution: string; readonly spent: Spent; readonly at: number }
  /** The run executes another manifest from this entry on, with the answers of that manifest's scripted workers. */
  | {
      readonly type: 'manifest';
      readonly manifest: BlobRef;
      readonly scripts: StartData['scripts'];
      readonly at: number;
    }
  /** A person rolls back the execution with which the run failed. */
  | {
      readonly type: 'retry';
      readonly key: LocalKey;
      readonly attempt: number;
      readonly guidance?: string;
      readonly at: number;
    }
  | { readonly type: 'stop'; readonly how: 'interrupted' | 'paused'; readonly at: number }
  | {
      readonly type: 'end';
      readonly outcome: 'completed' | 'failed' | 'cancelled';
      readonly reason: Reason | null;
      readonly details: JsonObject;
      readonly at: number;
    };
