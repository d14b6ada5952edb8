import type { Count, Milliseconds, Ordinal } from './count.ts';
import type { BlockId, FramePath, HaltId, NodeId, RunId } from './id.ts';
import type { RunStatus } from './run-status.ts';
import type { HaltReason, LastOutput, Reason } from './response.ts';

/** An unanswered halt in a journal. */
export interface OpenHalt {
  readonly halt_id: HaltId;
  readonly block: BlockId;
  readonly frame: FramePath;
  readonly why: HaltReason;
  /** Milliseconds since the epoch, as all times here. */
  readonly since: Milliseconds;
  /** The time at which the halt continues by itself. */
  readonly until: number | null;
  /** The number of rejections that are left. Absent if the halt does not accept `reject`. */
  readonly rejections_left?: Count;
  /** The end of the last output, if there was any. */
  readonly last?: LastOutput;
}

/** An open frame: its current block, and the frames that the block has opened. */
export interface FrameSummary {
  readonly frame: FramePath;
  readonly node: NodeId;
  readonly block: BlockId;
  /** Frames that the block has opened and that have not returned. */
  readonly children: readonly FramePath[];
}

/** A block that a recovery policy executes again at a later time. */
export interface DelayedRetry {
  readonly block: BlockId;
  readonly frame: FramePath;
  /** When the block is executed again. */
  readonly until: Milliseconds;
}

/** The state of a run, without its data. */
export interface RunSummary {
  readonly run: RunId;
  readonly trace: string;
  readonly status: RunStatus;
  /** The reason of a failure; null otherwise. */
  readonly reason: Reason | null;
  /** The node in which the run started. */
  readonly node: NodeId;
  /** The block entered last. */
  readonly block: BlockId;
  readonly source: string | null;
  readonly directory: string | null;
  readonly started_at: Milliseconds;
  readonly updated_at: Milliseconds;
  /** The number of finished visits. */
  readonly steps: Count;
  /** Counts of successes whose evidence passed or failed; present only if evidence was checked. */
  readonly evidence?: { readonly held: Count; readonly failed: Count };
  readonly halts: readonly OpenHalt[];
  /** Present only if a recovery policy delays an execution. */
  readonly retries?: readonly DelayedRetry[];
  readonly frames: readonly FrameSummary[];
  readonly forked_from: { readonly run: RunId; readonly step: Ordinal } | null;
  /** How many times an engine has opened the run. */
  readonly openings: Count;
  /** The claim of the engine that last opened the run, if known. */
  readonly opened_by?: string;
}

/** One run of a project in a list. */
export type RunListing =
  | {
      readonly kind: 'run';
      readonly run: RunId;
      readonly summary: RunSummary;
      /** The size of the run's journal in bytes. */
      readonly size: Count;
    }
  | {
      readonly kind: 'damaged';
      readonly run: RunId;
      readonly file: string;
      readonly line: Count;
      readonly why: string;
      /** The number of steps before the damaged part of the journal. A fork can begin at each of them. */
      readonly steps: Count;
    };
