import type { Graph, SideEffects } from './graph.ts';
import type { BlockId, HaltId, RunId, SessionId } from './id.ts';
import type { JsonObject } from './json.ts';
import type { Answer, Halt, HaltReason, PathEntry, Reason } from './response.ts';
import type { Start, Stepped } from './run.ts';
import type { ScriptEntry, ScriptedAnswer } from './script.ts';
import type { Spent } from './spent.ts';

/** The version of the journal's lines; a reader knows all versions up to its own. */
export const JOURNAL_VERSION = 1;

/** Data beside the journal, in `.flow/blobs/<sha256>`. */
export interface BlobRef {
  readonly blob: string;
  /** Size as UTF-8. */
  readonly bytes: number;
}

/** A step key without its run: equal in all forks of a run. */
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
  /** Scripts by worker. */
  readonly scripts: Readonly<Record<string, ScriptData>>;
  /** The key of the run's task; absent without one. */
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
  /** Present in forks only: no step before this one is executed again. */
  readonly forkedFrom: { readonly run: RunId; readonly step: number } | null;
}

/** One line of a journal. */
export type JournalEntry =
  | HeaderEntry
  /**
   * `by` is the claim of the engine that executes the run from here on, `engine` its version (`ENGINE_VERSION`). Both
   * are absent in journals of earlier versions.
   */
  | {
      readonly type: 'open';
      readonly at: number;
      readonly why: Opening;
      readonly by?: string;
      readonly engine?: string;
    }
  /** The intent: an execution is about to begin. */
  | {
      readonly type: 'intent';
      readonly key: LocalKey;
      readonly attempt: number;
      readonly worker: string;
      readonly sideEffects: SideEffects;
      /** A commit with the files of the session's worktree before the execution; absent if none was made. */
      readonly snapshot?: string;
      /**
       * The session's change plan, if it decides what this execution may write; a repeated execution uses the same.
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
      readonly stepped: Stepped | BlobRef;
      /** Not executed: after a crash, `checkCompletion` found it done. */
      readonly found?: true;
      /** Executed and rolled back by a person. Only the used script entry remains. */
      readonly takenBack?: true;
      /** What the execution used, if it is known apart from the result. */
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
      /** How often the work can still be rejected here; absent: the halt takes no `reject`. For display only. */
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
  /** Usage of an execution that was cut off or rolled back. It counts for this run, not for its forks. */
  | { readonly type: 'spent'; readonly execution: string; readonly spent: Spent; readonly at: number }
  /** The run follows another manifest from here on, with the answers of that manifest's scripted workers. */
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

export type RunStatus = 'running' | 'halted' | 'paused' | 'interrupted' | 'completed' | 'failed' | 'cancelled';
