import type { Graph, SideEffects } from './graph.ts';
import type { BlockId, HaltId, RunId, SessionId } from './id.ts';
import type { JsonObject } from './json.ts';
import type { Answer, Halt, HaltReason, PathEntry, Reason } from './response.ts';
import type { Start, Stepped } from './run.ts';
import type { ScriptEntry, ScriptedAnswer } from './script.ts';
import type { Spent } from './spent.ts';

/** Of the lines below; a reader knows all versions up to its own. */
export const JOURNAL_VERSION = 1;

/** Data beside the journal: `.flow/blobs/<sha256>`. */
export interface BlobRef {
  readonly blob: string;
  /** UTF-8. */
  readonly bytes: number;
}

/** A step key without its run: the same in every fork of the run. */
export type LocalKey = string & { readonly localKey: never };

export interface ScriptData {
  readonly answers: Readonly<Record<string, readonly ScriptEntry[]>>;
  readonly halts: readonly ScriptedAnswer[];
}

/** All that a run was started with, beside its manifest. */
export interface StartData {
  readonly start: Start;
  readonly input: string | null;
  readonly stepMode: boolean;
  /** The manifest's file, for people. */
  readonly source: string | null;
  readonly script: ScriptData | null;
  /** By worker. */
  readonly scripts: Readonly<Record<string, ScriptData>>;
  /** Key of the task that it does; not there: it does none. */
  readonly task?: string;
  /** The session that it works for; not there: none. */
  readonly session?: SessionId;
}

/** What a run executes, kept whole: a later change of the file does not touch it. */
export interface StoredManifest {
  readonly version: typeof JOURNAL_VERSION;
  readonly graph: Graph;
}

/** Why the engine's hold of a run began. */
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
  /** Where it works: relative to the project's root when inside, with `/`; else absolute. */
  readonly directory: string | null;
  /** Only in a run that was forked: nothing before this step is executed again. */
  readonly forkedFrom: { readonly run: RunId; readonly step: number } | null;
}

/** One line of a journal (spec/engine.md "Durability"). */
export type JournalEntry =
  | HeaderEntry
  /** `by`: the claim to the engine under which it is under way from now on; not there in journals of earlier versions. */
  | { readonly type: 'open'; readonly at: number; readonly why: Opening; readonly by?: string }
  /** An execution is about to begin. */
  | {
      readonly type: 'intent';
      readonly key: LocalKey;
      readonly attempt: number;
      readonly worker: string;
      readonly sideEffects: SideEffects;
      /** Commit with the files of the session's worktree as they were; not there: they are not kept. */
      readonly snapshot?: string;
      /** The session's change plan, where it says what this execution may write: what is cut off goes on with the same. */
      readonly plan?: readonly string[];
      readonly at: number;
    }
  /** It was stopped before its worker was told of it: nothing was executed, and nothing is unsafe about it. */
  | { readonly type: 'unbegun'; readonly key: LocalKey; readonly attempt: number; readonly at: number }
  | {
      readonly type: 'result';
      readonly key: LocalKey;
      readonly attempt: number;
      readonly stepped: Stepped | BlobRef;
      /** Not executed: `checkCompletion` found it done after a crash. */
      readonly found?: true;
      /** Executed, and taken back by a person: a script has given its answer, and that is all that is left of it. */
      readonly takenBack?: true;
      /** Where it stands beside the journal. */
      readonly spent?: Spent;
      readonly at: number;
    }
  | {
      readonly type: 'halt';
      readonly key: LocalKey;
      readonly halt: HaltId;
      readonly block: BlockId;
      readonly why: HaltReason;
      /** It answers itself then; null: only a person does. */
      readonly until: number | null;
      /** The end of what was said last: for people who look, and for nothing else. */
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
  /** Paid for, whatever became of the execution: it was cut off, or a person took it back. It stays with the run that paid, not with its forks. */
  | { readonly type: 'spent'; readonly execution: string; readonly spent: Spent; readonly at: number }
  /** From here on it follows another manifest, with the answers of that one's scripted workers. */
  | {
      readonly type: 'manifest';
      readonly manifest: BlobRef;
      readonly scripts: StartData['scripts'];
      readonly at: number;
    }
  /** A person takes the execution back with which the run failed. */
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
