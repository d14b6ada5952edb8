import type { AgentService } from './agent.ts';
import type { Approvals } from './approvals.ts';
import type { AiService } from './ai-service.ts';
import type { Clock } from './clock.ts';
import type { ContextQueries } from './code-analysis.ts';
import type { PullRequests } from './forge.ts';
import type { GraphBlock, WorkerDefinition } from './graph.ts';
import type { RunId } from './id.ts';
import type { JsonObject } from './json.ts';
import type { Outbound } from './outbound.ts';
import type { ReportFile, ReportRequest } from './report-files.ts';
import type { SandboxRequest } from './sandbox.ts';

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
  /**
   * Values of variables that the process would otherwise not get. A variable whose name differs only in case from one
   * that the process gets has the same value as that one.
   */
  readonly envDefaults?: Readonly<Record<string, string>>;
  /** Variables set for the process, over all others. */
  readonly env?: Readonly<Record<string, string>>;
  readonly input?: string;
  readonly timeoutMs?: number;
  /** Milliseconds between SIGTERM and SIGKILL on abort; 5,000 by default. */
  readonly graceMs?: number;
  /**
   * Maximum number of output characters that are kept. If the output is longer, its middle is omitted and a line says
   * so.
   */
  readonly outputLimit?: number;
  /** How stderr is handled if a program reads the output: `ignored` drops it, `apart` sends it to `onError` only. */
  readonly stderr?: 'ignored' | 'apart';
  /** Asks for the reports that the process writes into a temporary folder; `ProcessResult.reports` has them. */
  readonly reports?: ReportRequest;
  /** Runs the process, with all its descendants, in a sandbox that may write to `cwd`. Without one it does not start. */
  readonly sandbox?: SandboxRequest;
}

/** How a process ended, with its output. */
export interface ProcessResult {
  /** Null if the process did not start or was killed. */
  readonly exitCode: number | null;
  /** stdout and stderr, interleaved in order of arrival. */
  readonly output: string;
  readonly durationMs: number;
  readonly ended: 'exited' | 'killed' | 'timed_out' | 'not_started';
  /** Why the process did not start, or the signal that it died by, such as `SIGSEGV`; null otherwise. */
  readonly error: string | null;
  /** True if the process did not start because its program does not exist. */
  readonly isMissing?: boolean;
  /** Present if the request asked for reports. */
  readonly reports?: readonly ReportFile[];
}

/**
 * A port that runs processes. The abort signal ends the whole process tree. When the process ends, its descendants are
 * ended too.
 */
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
  /** Adds output. Never throws: if the log can't be written, `keep` reports it. */
  add(bytes: Uint8Array): void;
  /**
   * Resolves once the log is safely on disk. Null if nothing was written, or if the log is small and equal to `shown`,
   * the text that the result already contains.
   */
  keep(shown?: string): Promise<KeptLog | { readonly problem: string } | null>;
  /** Discards the log. */
  discard(): void;
}

/** A port that stores complete process logs on disk while the output arrives, beside the journal. */
export interface Logs {
  open(): Log;
}

/** The exit of a process that ended by itself. */
export interface ProcessEnd {
  readonly exitCode: number;
  /** The output, shortened to `ProcessRequest.outputLimit`. */
  readonly output: string;
  readonly durationMs: number;
  /** The size of the whole output in bytes. */
  readonly bytes: number;
}

/** Records on disk how the process of one execution ended, before the result is used. Its methods never throw. */
export interface CompletionRecord {
  keep(end: ProcessEnd): void;
  /** Returns the record that a killed engine wrote for this execution, or null. */
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
  /**
   * The hash of the content that the file must have right before the write; null if the file must not exist. Absent:
   * any content is accepted.
   */
  readonly expected?: string | null;
  /**
   * The result of `locate` at the time when access was checked. The write is refused if the path resolves to another
   * place by then.
   */
  readonly located?: string;
}

/** A file that is not written but must still have the expected content. */
export type FileToCompare = Pick<Required<FileToWrite>, 'path' | 'expected'>;

/** The files of a transaction. */
export interface FilesToWrite {
  readonly files: readonly FileToWrite[];
  readonly compared: readonly FileToCompare[];
}

/** A port for the files inside one root folder. Paths are relative, with `/`, and every path is checked. */
export interface Files {
  readonly root: string;
  /** Returns the text, or null if there is no such file. */
  read(path: string): Promise<string | null>;
  /** Reads a file's bytes. A file with more bytes than `limit` is not read. */
  readBytes(path: string, limit: number): Promise<FileBytes>;
  /**
   * Rolls back a transaction that a killed process left incomplete. Call it before reading files that are to be
   * changed.
   */
  settle(): Promise<void>;
  /** Returns whether the file system ignores case in names. */
  ignoresCase(): Promise<boolean>;
  /**
   * Returns the folder, below the root, from which git starts hooks; null if there is none below the root. Absent where
   * nothing is known about git.
   */
  hooksFolder?(): Promise<string | null>;
  /** Returns the path after following all links; the file need not exist. */
  locate(path: string): Promise<string>;
  /**
   * Writes all files or none; each path may occur once. Throws a RoboSmithError `content_changed` if a file has
   * unexpected content. In that case `again` is called once, under the write lock of this root: it reads the files anew
   * and returns what to write instead, or null to refuse. Modules can't pass `again`.
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
  /**
   * The older state of the comparison. `base`: where the session's branch started. `commit`: without a session, the
   * last commit that the run did not make.
   */
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

/** A port that reads the changes in the run's directory. Reading has no side effects. */
export interface ChangeReader {
  read(request: DiffRequest): Promise<DirectoryDiff | { readonly problem: string }>;
}

/** The services that a worker may use. It can access nothing else. */
export interface Services {
  readonly clock: Clock;
  /** Null in `simulate`, where no file may be accessed. */
  readonly files: Files | null;
  /** Null in `simulate`, where no process may be started. */
  readonly processes: Processes | null;
  /** Null outside of a session. */
  readonly changePlan: ChangePlan | null;
  /** Null in `simulate`. */
  readonly changes?: ChangeReader | null;
  /** Null outside of a session. */
  readonly pullRequests?: PullRequests | null;
  /** Null for a run that is not stored. */
  readonly logs: Logs | null;
  /** Null for a run that is not stored, and for repair and evidence executions. */
  readonly completion?: CompletionRecord | null;
  /** Decides which files a model may read; null: all. */
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
  /** The names of the commands that may run no test. */
  readonly allowEmpty?: readonly string[];
  /** The executed block, and its worker's definition in the manifest (null for built-in workers). */
  readonly block: GraphBlock;
  readonly definition: WorkerDefinition | null;
  /** Reports progress: a line of text, shown while the block runs. */
  progress(text: string): void;
}
