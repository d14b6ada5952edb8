import type { SideEffects } from './graph.ts';
import type { BlockId, FramePath, NodeId, RunId, Signal, StepKey } from './id.ts';
import type { JsonObject, JsonValue } from './json.ts';
import type { Exports, Payload, SegmentDraft } from './payload.ts';
import type { Services } from './services.ts';

export interface ArtifactFile {
  readonly path: string;
  /** Null when the file does not exist yet. */
  readonly content: string | null;
  /** `.vision/ignore` keeps it back: nothing was read of it, not even whether it is there. */
  readonly keptBack?: true;
}

/** The five layers in order of priority (spec/manifest.md "Memory"), deeply frozen; and the exports. */
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
  readonly artifact: { readonly files: readonly ArtifactFile[]; readonly slices: readonly JsonObject[] };
  /** Layer 5. */
  readonly system: SystemMetadata;
  readonly exports: Exports;
}

export interface SystemMetadata {
  readonly run: RunId;
  readonly session: string | null;
  readonly task: string | null;
  /** Absolute path of the worktree or of the directory given with `--in`; null in `simulate`. */
  readonly worktree: string | null;
  readonly node: NodeId;
  readonly block: BlockId;
  readonly visit: number;
  readonly attempt: number;
  readonly step: StepKey;
  readonly frame: FramePath;
}

export interface WorkerResult {
  readonly signal: string;
  /** Adds to the frame's payload. `append` or `payload`, not both. */
  readonly append?: readonly SegmentDraft[];
  /** Replaces the frame's payload. */
  readonly payload?: readonly SegmentDraft[];
  readonly exports?: Readonly<Record<string, JsonValue>>;
  readonly stats?: JsonObject;
  /** With SIGNAL:NO_SIGNAL or SIGNAL:VALIDATION_FAIL: the signal is the engine's reading of a model's answer, and this is why. */
  readonly answerProblem?: string;
  /** It was ended by its time limit: this is what it had said until then. Its signal, exports and stats count for nothing. */
  readonly unfinished?: true;
}

/** A result that kept the contract: frozen copies, nothing of the worker's own objects. */
export interface CheckedResult {
  readonly signal: Signal;
  readonly append: readonly SegmentDraft[];
  /** Null: the payload is left, or appended to. */
  readonly payload: readonly SegmentDraft[] | null;
  readonly exports: Exports;
  readonly refusedExports: readonly string[];
  readonly stats: JsonObject;
  readonly answerProblem: string | null;
  readonly unfinished?: true;
}

/** `f(memory) -> (payload, signal, exports)` (spec/workers.md "The contract of a worker"). */
export interface Worker {
  readonly sideEffects: SideEffects;
  /** For a worker whose class differs from execution to execution (scripted answers); null: no opinion. */
  sideEffectsOf?(memory: BlockMemory): SideEffects | null;
  /** Halts for a person before anything is executed. */
  readonly manual?: true;
  /** Throws a RoboSmithError `precondition_failed`: nothing was done. */
  checkPreconditions?(memory: BlockMemory, services: Services): Promise<void>;
  execute(memory: BlockMemory, services: Services, signal: AbortSignal): Promise<WorkerResult>;
  /** After a crash: was it already done? */
  checkCompletion?(memory: BlockMemory, services: Services): Promise<WorkerResult | null>;
  /** On interruption, at most 5 s. */
  cleanup?(memory: BlockMemory, services: Services): Promise<void>;
}
