import type { AgentService } from './agent.ts';
import type { Approvals } from './approvals.ts';
import type { AiService } from './ai-service.ts';
import type { Clock } from './clock.ts';
import type { ContextQueries } from './context-queries.ts';
import type { PullRequests } from './forge.ts';
import type { GraphBlock, WorkerDefinition } from './graph.ts';
import type { RunId } from './id.ts';
import type { JsonObject } from './json.ts';
import type { Outbound } from './outbound.ts';

/** A process to start. */
export interface ProcessRequest {
  /** Program and arguments; never a shell string unless `shell` is set. */
  readonly argv: readonly [string, ...string[]];
  /** True: `argv` has one element, a line for the platform's shell. */
  readonly shell?: boolean;
  /** The working folder, absolute. */
  readonly cwd: string;
  /**
   * The relative path of a folder below `cwd` to work in. If it leads out of `cwd`, the start fails with a
   * RoboSmithError `unsafe_path`.
   */
  readonly folder?: string;
  /**
   * Names of variables that the process gets in addition to the allow-list of `io/process/environment.ts`. It gets no
   * other variables of this process.
   */
  readonly envNames?: readonly string[];
  /** Variables set for the process, over all others. */
  readonly env?: Readonly<Record<string, string>>;
  readonly input?: string;
  readonly timeoutMs?: number;
  /** Milliseconds between SIGTERM and SIGKILL on abort; 5,000 by default. */
  readonly graceMs?: number;
  /** The number of output characters kept. Beyond it the middle is left out, and a line says so. */
  readonly outputLimit?: number;
  /** `ignored` drops stderr, `apart` sends it to `onError` only: for output that a program reads. */
  readonly stderr?: 'ignored' | 'apart';
}

/** How a process ended, with its output. */
export interface ProcessResult {
  /** Null if the process did not start or was killed. */
  readonly exitCode: number | null;
  /** stdout and stderr, interleaved in order of arrival. */
  readonly output: string;
  readonly durationMs: number;
  readonly ended: 'exited' | 'killed' | 'timed_out' | 'not_started';
  /** The reason why it did not start. */
  readonly error: string | null;
}

/** Processes as a port. The abort signal ends the whole process tree; descendants end with the process. */
export interface Processes {
  /** `onOutput` receives the output as it arrives; `onBytes` the same before it is decoded as UTF-8. */
  run(
    request: ProcessRequest,
    signal: AbortSignal,
    onOutput?: (text: string) => void,
    onBytes?: (bytes: Uint8Array) => void,
    onError?: (text: string) => void,
  ): Promise<ProcessResult>;
}

/** The whole log of a process, as stored. */
export interface KeptLog {
  /** The log is in `.flow/blobs/<blob>`. */
  readonly blob: string;
  readonly bytes: number;
  /** Bytes that were not stored because the log is too long. */
  readonly left_out: number;
}

export interface Log {
  /** Adds output. Never throws: a log that can't be written reports it at its end. */
  add(bytes: Uint8Array): void;
  /**
   * Resolves once the log is safe on disk; null if nothing was written, or if it is small and equal to `shown`, the text
   * that the result has.
   */
  keep(shown?: string): Promise<KeptLog | { readonly problem: string } | null>;
  /** Discards the log. */
  discard(): void;
}

/** Whole logs as a port: written to disk as they arrive, beside the journal. */
export interface Logs {
  open(): Log;
}

/** The exit of a process that ended by itself. */
export interface ProcessEnd {
  readonly exitCode: number;
  /** The output as cut by `ProcessRequest.outputLimit`. */
  readonly output: string;
  readonly durationMs: number;
  /** The size of the whole output in bytes. */
  readonly bytes: number;
}

/** Records how the process of one execution ended, on disk before the result is used. Nothing here throws. */
export interface CompletionRecord {
  keep(end: ProcessEnd): void;
  /** Returns what a killed engine recorded of this execution. */
  recall(): ProcessEnd | null;
}

/** A file's bytes with their hash. */
export type FileBytes =
  | { readonly kind: 'missing' }
  | { readonly kind: 'too_large'; readonly size: number }
  | { readonly kind: 'there'; readonly bytes: Uint8Array; readonly hash: string };

export interface FileToWrite {
  readonly path: string;
  readonly content: string | Uint8Array;
  /** The hash of the content that must be there right before; null for no file. Absent: any content. */
  readonly expected?: string | null;
  /** The result of `locate` when access was checked; the write is refused if the path leads elsewhere by then. */
  readonly located?: string;
}

/** A file that is not written and must be unchanged. */
export type FileToCompare = Pick<Required<FileToWrite>, 'path' | 'expected'>;

/** The files of a transaction. */
export interface FilesToWrite {
  readonly files: readonly FileToWrite[];
  readonly compared: readonly FileToCompare[];
}

/** Files inside one root as a port. Paths are relative, with `/`, and every path is checked. */
export interface Files {
  readonly root: string;
  /** Returns the text, or null if there is no such file. */
  read(path: string): Promise<string | null>;
  /** Reads a file's bytes. A file with more bytes than `limit` is not read. */
  readBytes(path: string, limit: number): Promise<FileBytes>;
  /** Rolls back what a killed process left half written. Call it before reading files that are to be changed. */
  settle(): Promise<void>;
  /** Returns whether the file system ignores case in names. */
  ignoresCase(): Promise<boolean>;
  /** Returns the path after following all links; the file need not exist. */
  locate(path: string): Promise<string>;
  /**
   * Writes all files or none, each path once. Throws a RoboSmithError `content_changed` if unexpected content is
   * there. `again` is called once in that case, while no other process writes here: it returns what to write instead
   * after reading the files anew, or null to refuse. Modules can't pass it.
   */
  writeAll(
    files: readonly FileToWrite[],
    compared?: readonly FileToCompare[],
    again?: () => Promise<FilesToWrite | null>,
  ): Promise<void>;
  /** Returns the existing files that match the patterns, sorted. */
  glob(patterns: readonly string[]): Promise<readonly string[]>;
}

/** The files that a session intends to change, for the conflict scan. */
export interface ChangePlan {
  /** Adds relative paths with `/`; existing entries stay. */
  add(paths: readonly string[]): Promise<void>;
  /** Returns the current paths and globs. */
  written(): readonly string[];
}

export interface DiffRequest {
  /** `base`: where the session's branch started; without a session, the last commit that the run did not make. */
  readonly since: 'base' | 'commit';
  /** Files and folders, relative to the run's directory; an empty list means all. */
  readonly paths: readonly string[];
  readonly maxBytes: number;
  readonly run: RunId;
}

/** The changes in the run's directory, without secrets and without files that may not leave the machine. */
export interface DirectoryDiff {
  /** The full hash of the older state. */
  readonly since: string;
  readonly files: readonly {
    readonly path: string;
    readonly added: number | null;
    readonly deleted: number | null;
  }[];
  readonly added: number;
  readonly deleted: number;
  readonly patch: string;
  /** Lines that were left out because the patch is too long. */
  readonly omitted: number;
  /** Changed files that may not leave the machine. */
  readonly keptBack: readonly string[];
}

/** The changes in the run's directory, as a port. Reading them changes nothing. */
export interface ChangeReader {
  read(request: DiffRequest): Promise<DirectoryDiff | { readonly problem: string }>;
}

/** What a worker may use; it can reach nothing else. */
export interface Services {
  readonly clock: Clock;
  /** Null in `simulate`: no file. */
  readonly files: Files | null;
  /** Null in `simulate`: no process. */
  readonly processes: Processes | null;
  /** Null outside of a session. */
  readonly changePlan: ChangePlan | null;
  /** Null in `simulate`. */
  readonly changes?: ChangeReader | null;
  /** Null outside of a session. */
  readonly pullRequests?: PullRequests | null;
  /** Null for a run that is not stored. */
  readonly logs: Logs | null;
  /** Null for a run that is not stored, and for executions that are not a block's own. */
  readonly completion?: CompletionRecord | null;
  /** Which files a model may read; null: all. */
  readonly outbound?: Outbound | null;
  /** Null if no model can be called: in `simulate`, and without a key pool. */
  readonly ai?: AiService | null;
  /** Null for a run that is not stored. */
  readonly agents?: (AgentService & { /** The most that the calling nodes allow. */ readonly most: Approvals }) | null;
  /** Code analysis; null in `simulate`. */
  readonly context?: ContextQueries | null;
  /** Returns the title of the run's task; null for a run without a task. */
  readonly taskTitle?: (() => Promise<string | null>) | null;
  /** The manifest's `context_slices` by name. */
  readonly contextSlices?: JsonObject;
  readonly commands: Readonly<Record<string, readonly string[]>>;
  /** The executed block, and its worker's definition in the manifest (null for built-in workers). */
  readonly block: GraphBlock;
  readonly definition: WorkerDefinition | null;
  /** Reports progress: a line of text, shown while the block runs. */
  progress(text: string): void;
}
