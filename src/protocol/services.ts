import type { AiService } from './ai-service.ts';
import type { Clock } from './clock.ts';
import type { GraphBlock, WorkerDefinition } from './graph.ts';

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
}

export interface ProcessResult {
  /** Null when the process did not start or was killed. */
  readonly exitCode: number | null;
  /** stdout and stderr, interleaved as they came. */
  readonly output: string;
  readonly durationMs: number;
  readonly ended: 'exited' | 'killed' | 'timed_out' | 'not_started';
  /** Why it did not start, e.g. `ENOENT`. */
  readonly error: string | null;
}

/** Processes as a port: the whole process tree dies with the abort signal, and what is left of it with the process. */
export interface Processes {
  /** `onOutput` gets what it writes, as it comes. */
  run(request: ProcessRequest, signal: AbortSignal, onOutput?: (text: string) => void): Promise<ProcessResult>;
}

/** Files inside one root as a port; every path goes through SafePath. Paths are relative, with `/`. */
export interface Files {
  readonly root: string;
  /** Null when there is no such file. */
  read(path: string): Promise<string | null>;
  /** Where a path leads when all links are followed; the file need not be there. */
  locate(path: string): Promise<string>;
  /** All or none, each path once. */
  writeAll(files: readonly { readonly path: string; readonly content: string }[]): Promise<void>;
  /** Existing files that match, sorted. */
  glob(patterns: readonly string[]): Promise<readonly string[]>;
}

/** What a worker may reach; everything else is out of its reach (spec/workers.md). */
export interface Services {
  readonly clock: Clock;
  /** Null in `simulate`: no file. */
  readonly files: Files | null;
  /** Null in `simulate`: no process. */
  readonly processes: Processes | null;
  /** Null where no model can be called: in `simulate`, and without a key pool. */
  readonly ai?: AiService | null;
  readonly commands: Readonly<Record<string, readonly string[]>>;
  /** The block that is executed, and its worker's definition in the manifest (null for built-in workers). */
  readonly block: GraphBlock;
  readonly definition: WorkerDefinition | null;
  /** Progress for people: a line of text, shown while the block runs. */
  progress(text: string): void;
}
