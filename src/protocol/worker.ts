import type { ContextSlice } from './context-slice.ts';
import type { SideEffects } from './graph.ts';
import type { BlockId, FramePath, NodeId, RunId, Signal, StepKey } from './id.ts';
import type { JsonObject, JsonValue } from './json.ts';
import type { Exports, Payload, Returned, SegmentDraft } from './payload.ts';
import type { Services } from './services.ts';

export interface ArtifactFile {
  readonly path: string;
  /** Null if the file does not exist yet. */
  readonly content: string | null;
  /** True if `.vision/ignore` excludes the file. It was not read, and its existence was not checked. */
  readonly keptBack?: true;
}

/** The five layers of a block's memory in order of priority, plus the exports. Deeply frozen. */
export interface BlockMemory {
  /** Layer 1: a lazy view, chosen by `payload_merge_strategy`. Writing to it throws. */
  readonly payload: Payload;
  /** Layer 2: persona, contract, and the signals that the block handles. */
  readonly contract: {
    readonly persona: string | null;
    readonly contract: string | null;
    readonly signals: readonly Signal[];
  };
  /** Layer 3: the static memory of the enclosing frames, nearest first, up to the first context boundary. */
  readonly inherited: JsonObject;
  /** Layer 4: files and context slices. */
  readonly artifact: { readonly files: readonly ArtifactFile[]; readonly slices: readonly ContextSlice[] };
  /** Layer 5. */
  readonly system: SystemMetadata;
  readonly exports: Exports;
  /** The outcomes of the frame's last CALL or FORK, in the order of the branches of a FORK; empty before the first. */
  readonly returned: readonly Returned[];
}

export interface SystemMetadata {
  readonly run: RunId;
  readonly session: string | null;
  readonly task: string | null;
  /** The absolute path of the worktree, or of the folder given with `--in`; null in `simulate`. */
  readonly worktree: string | null;
  readonly node: NodeId;
  readonly block: BlockId;
  readonly visit: number;
  readonly attempt: number;
  readonly step: StepKey;
  readonly frame: FramePath;
}

/**
 * The result of one execution of a worker. Data must be JSON; anything else breaks the contract and fails the
 * execution.
 */
export interface WorkerResult {
  readonly signal: string;
  /** Segments to add to the frame's payload. `append` or `payload`, not both. */
  readonly append?: readonly SegmentDraft[];
  /** Segments that replace the frame's payload. */
  readonly payload?: readonly SegmentDraft[];
  readonly exports?: Readonly<Record<string, JsonValue>>;
  readonly stats?: JsonObject;
  /** The reason why the engine derived SIGNAL:NO_SIGNAL or SIGNAL:VALIDATION_FAIL from a model's answer. */
  readonly answerProblem?: string;
  /**
   * True if the time limit ended the execution. The segments are those returned by then; signal, exports and stats are
   * ignored.
   */
  readonly unfinished?: true;
}

/** A validated result. It holds frozen copies that share no objects with the worker. */
export interface CheckedResult {
  readonly signal: Signal;
  readonly append: readonly SegmentDraft[];
  /** The new payload; null if the payload is kept or only appended to. */
  readonly payload: readonly SegmentDraft[] | null;
  readonly exports: Exports;
  readonly refusedExports: readonly string[];
  readonly stats: JsonObject;
  readonly answerProblem: string | null;
  readonly unfinished?: true;
}

/** A worker's statement about an execution that a crash cut off. */
export type Completion =
  | { readonly kind: 'done'; readonly result: WorkerResult }
  /** The execution had no effect. It is executed again, even if the worker is not idempotent. */
  | { readonly kind: 'not_done' }
  /** The execution is repeated if that is safe; otherwise a person decides. */
  | { readonly kind: 'unknown' };

/** A worker: a function of memory and services that returns a signal, segments and exports. */
export interface Worker {
  readonly sideEffects: SideEffects;
  /**
   * Returns the side effect class of one execution, for a worker whose class varies; null: the declared class applies.
   */
  sideEffectsOf?(memory: BlockMemory): SideEffects | null | Promise<SideEffects | null>;
  /** True if the engine halts for a person before it executes anything. */
  readonly manual?: true;
  /**
   * True if the worker's result depends only on its memory. A simulation executes such a worker too, unless the script
   * has an entry for its block or for the worker.
   */
  readonly pure?: true;
  /** True if the worker itself watches the worktree for forbidden changes, for a block with its own access. */
  readonly guardsAccess?: true;
  /** Throws a RoboSmithError `precondition_failed` if the worker can't begin. In that case nothing has been done. */
  checkPreconditions?(memory: BlockMemory, services: Services): Promise<void>;
  execute(memory: BlockMemory, services: Services, signal: AbortSignal): Promise<WorkerResult>;
  /**
   * Returns whether an execution that a crash cut off had been completed. A plain result means `done`, null means
   * `unknown`.
   */
  checkCompletion?(memory: BlockMemory, services: Services): Promise<Completion | WorkerResult | null>;
  /** Cleans up on interruption, for at most 5 s. */
  cleanup?(memory: BlockMemory, services: Services): Promise<void>;
}
