import type { AgentService } from './agent.ts';
import type { Approvals } from './approvals.ts';
import type { AiService } from './ai-service.ts';
import type { Clock } from './clock.ts';
import type { ContextQueries } from './context-queries.ts';
import type { GraphBlock, WorkerDefinition } from './graph.ts';
import type { JsonObject } from './json.ts';
import type { Outbound } from './outbound.ts';

export interface ProcessRequest {
  /** Program and arguments; never a shell string, unless `shell` is set. */
  readonly argv: readonly [string, ...string[]];
  /** `argv` has one element: a line for the platform's shell. */
  readonly shell?: boolean;
  /** Absolute. */
  readonly cwd: string;
  /** Where below `cwd` it works: relative, through SafePath; a RoboSmithError `unsafe_path` when it leads out. */
  readonly folder?: string;
  /** Names of variables that it sees beside the allow-list of `io/environment.ts`; nothing else of ours is handed on. */
  readonly envNames?: readonly string[];
  /** Variables set for it, over all others. */
  readonly env?: Readonly<Record<string, string>>;
  readonly input?: string;
  readonly timeoutMs?: number;
  /** Between a polite end and a hard one, on abort; 5,000 by default. */
  readonly graceMs?: number;
  /** Characters of output kept; past it the middle is left out, and a line says so. */
  readonly outputLimit?: number;
  /** What it writes to stderr is dropped, or goes to `onError` alone: for output that a program reads. */
  readonly stderr?: 'ignored' | 'apart';
}

export interface ProcessResult {
  /** Null when the process did not start or was killed. */
  readonly exitCode: number | null;
  /** stdout and stderr, interleaved as they came. */
  readonly output: string;
  readonly durationMs: number;
  readonly ended: 'exited' | 'killed' | 'timed_out' | 'not_started';
  /** Why it did not start, for people. */
  readonly error: string | null;
}

/** Processes as a port: the whole process tree dies with the abort signal, and what is left of it with the process. */
export interface Processes {
  /** `onOutput` gets what it writes, as it comes; `onBytes` the same before it is read as UTF-8. */
  run(
    request: ProcessRequest,
    signal: AbortSignal,
    onOutput?: (text: string) => void,
    onBytes?: (bytes: Uint8Array) => void,
    onError?: (text: string) => void,
  ): Promise<ProcessResult>;
}

/** The whole log of a process, as it is kept. */
export interface KeptLog {
  /** Its file is `.flow/blobs/<blob>`. */
  readonly blob: string;
  readonly bytes: number;
  /** Bytes that came after these and are not kept. */
  readonly left_out: number;
}

export interface Log {
  /** Never throws: a log that can't be written says so at its end. */
  add(bytes: Uint8Array): void;
  /** Safe on the disk when it resolves; null: nothing was written. */
  keep(): Promise<KeptLog | { readonly problem: string } | null>;
  /** Nobody will want it. */
  discard(): void;
}

/** Whole logs as a port: they go to the disk as they come, beside the journal (spec/engine.md "Blobs"). */
export interface Logs {
  open(): Log;
}

/** Of a process that ended by itself. */
export interface ProcessEnd {
  readonly exitCode: number;
  /** As it was kept of `ProcessRequest.outputLimit`. */
  readonly output: string;
  readonly durationMs: number;
  /** Of all output. */
  readonly bytes: number;
}

/** How the process of one execution ended, on the disk before anything is made of it (spec/workers.md "completion record"). Nothing here throws. */
export interface CompletionRecord {
  keep(end: ProcessEnd): void;
  /** What an engine that was killed kept of this very execution. */
  recall(): ProcessEnd | null;
}

/** A file's bytes, and what tells them from all others. */
export type FileBytes =
  | { readonly kind: 'missing' }
  | { readonly kind: 'too_large'; readonly size: number }
  | { readonly kind: 'there'; readonly bytes: Uint8Array; readonly hash: string };

export interface FileToWrite {
  readonly path: string;
  readonly content: string | Uint8Array;
  /** The hash of what must be there right before, null for no file. Absent: whatever is there. */
  readonly expected?: string | null;
  /** What `locate` said when it was decided that it may be written: refused when it leads elsewhere by now. */
  readonly located?: string;
}

/** A file that is not written, and must be what it was. */
export type FileToCompare = Pick<Required<FileToWrite>, 'path' | 'expected'>;

/** Files inside one root as a port; every path goes through SafePath. Paths are relative, with `/`. */
export interface Files {
  readonly root: string;
  /** Null when there is no such file. */
  read(path: string): Promise<string | null>;
  /** Nothing is read of a file with more bytes than `limit`. */
  readBytes(path: string, limit: number): Promise<FileBytes>;
  /** Takes back what a process that was killed left half written; to be called before reading what is to be changed. */
  settle(): Promise<void>;
  /** Does the file system take `A` and `a` for one name? */
  ignoresCase(): Promise<boolean>;
  /** Where a path leads when all links are followed; the file need not be there. */
  locate(path: string): Promise<string>;
  /** All or none, each path once. A RoboSmithError `content_changed` when something else than expected is there. */
  writeAll(files: readonly FileToWrite[], compared?: readonly FileToCompare[]): Promise<void>;
  /** Existing files that match, sorted. */
  glob(patterns: readonly string[]): Promise<readonly string[]>;
}

/** The files that a session means to change; the conflict scan reads it. */
export interface ChangePlan {
  /** Relative, with `/`; those that are in it already stay. */
  add(paths: readonly string[]): Promise<void>;
  /** As it stands: paths and globs, with `/`. */
  written(): readonly string[];
}

/** What a worker may reach; everything else is out of its reach (spec/workers.md). */
export interface Services {
  readonly clock: Clock;
  /** Null in `simulate`: no file. */
  readonly files: Files | null;
  /** Null in `simulate`: no process. */
  readonly processes: Processes | null;
  /** Null outside of a session. */
  readonly changePlan: ChangePlan | null;
  /** Null where nothing is kept of a run. */
  readonly logs: Logs | null;
  /** Null where nothing is kept of a run, and of what is no block's own execution. */
  readonly completion?: CompletionRecord | null;
  /** Which of the files may go into what a model reads; null: all. */
  readonly outbound?: Outbound | null;
  /** Null where no model can be called: in `simulate`, and without a key pool. */
  readonly ai?: AiService | null;
  /** Null where nothing is kept of what a coding agent does. */
  readonly agents?: (AgentService & { /** What the calling nodes allow. */ readonly most: Approvals }) | null;
  /** Code analysis; null in `simulate`. */
  readonly context?: ContextQueries | null;
  /** `context_slices` of the manifest, by name. */
  readonly contextSlices?: JsonObject;
  readonly commands: Readonly<Record<string, readonly string[]>>;
  /** The block that is executed, and its worker's definition in the manifest (null for built-in workers). */
  readonly block: GraphBlock;
  readonly definition: WorkerDefinition | null;
  /** Progress for people: a line of text, shown while the block runs. */
  progress(text: string): void;
}
