import type { ContextSlice } from './context-slice.ts';
import type { SideEffects } from './graph.ts';
import type { BlockId, FramePath, NodeId, RunId, Signal, StepKey } from './id.ts';
import type { JsonObject, JsonValue } from './json.ts';
import type { Exports, Payload, SegmentDraft } from './payload.ts';
import type { Returned } from './returned.ts';
import type { Services } from './services.ts';

export interface ArtifactFile {
  readonly path: string;
  /** Null if the file does not exist yet. */
  readonly content: string | null;
  /** True if `.vision/ignore` keeps the file back: it was not read, and its existence was not checked. */
  readonly keptBack?: true;
}

/** The five layers of a block's memory in order of priority, deeply frozen, and the exports. */
export interface BlockMemory {
  /** Layer 1: a lazy view, chosen by `payload_merge_strategy`. Writing to it throws. */
  readonly payload: Payload;
  /** Layer 2: persona, contract, and the signals that the block handles. */
  readonly contract: {
    readonly persona: string | null;
    readonly contract: string | null;
    readonly signals: readonly Signal[];
  };
  /** Layer 3: static memory of the frames, nearest first, cut at a context boundary. */
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
  /** The reason why the engine read SIGNAL:NO_SIGNAL or SIGNAL:VALIDATION_FAIL from a model's answer. */
  readonly answerProblem?: string;
  /**
   * True if the time limit ended it: the segments are what it had returned by then; signal, exports and stats don't
   * count.
   */
  readonly unfinished?: true;
}

/** A checked result: frozen copies that share nothing with the worker's objects. */
export interface CheckedResult {
  readonly signal: Signal;
  readonly append: readonly SegmentDraft[];
  /** Null: the payload is kept, or appended to. */
  readonly payload: readonly SegmentDraft[] | null;
  readonly exports: Exports;
  readonly refusedExports: readonly string[];
  readonly stats: JsonObject;
  readonly answerProblem: string | null;
  readonly unfinished?: true;
}

/** What a worker knows of an execution that a crash cut off. */
export type Completion =
  | { readonly kind: 'done'; readonly result: WorkerResult }
  /** It had no effect: it is executed again, also if the worker is not idempotent. */
  | { readonly kind: 'not_done' }
  /** It is executed again if that is safe; otherwise a person decides. */
  | { readonly kind: 'unknown' };

/** A worker: a function of memory and services that returns a signal, segments and exports. */
export interface Worker {
  readonly sideEffects: SideEffects;
  /**
   * Returns the side effect class of one execution, for a worker whose class varies; null: the declared class applies.
   */
  sideEffectsOf?(memory: BlockMemory): SideEffects | null | Promise<SideEffects | null>;
  /** True: halts for a person before anything is executed. */
  readonly manual?: true;
  /**
   * The worker depends on its memory alone, so a simulation executes it as well, unless the script names its block or
   * the worker.
   */
  readonly pure?: true;
  /** The worker watches the worktree itself if the block has an access of its own. */
  readonly guardsAccess?: true;
  /** Throws a RoboSmithError `precondition_failed` if it can't begin; nothing was done then. */
  checkPreconditions?(memory: BlockMemory, services: Services): Promise<void>;
  execute(memory: BlockMemory, services: Services, signal: AbortSignal): Promise<WorkerResult>;
  /**
   * Returns whether the execution was done before a crash cut it off. A bare result means `done`, null means
   * `unknown`.
   */
  checkCompletion?(memory: BlockMemory, services: Services): Promise<Completion | WorkerResult | null>;
  /** Cleans up on interruption, for at most 5 s. */
  cleanup?(memory: BlockMemory, services: Services): Promise<void>;
}
