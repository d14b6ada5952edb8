import type { BlockId, FramePath, HaltId, NodeId, RunId } from './id.ts';
import type { RunStatus } from './journal.ts';
import type { Halt, HaltReason, Reason } from './response.ts';

/** A halt as its journal knows it. */
export interface OpenHalt {
  readonly halt_id: HaltId;
  readonly block: BlockId;
  readonly frame: FramePath;
  readonly why: HaltReason;
  /** Milliseconds since the epoch, as all times here. */
  readonly since: number;
  /** It goes on by itself then. */
  readonly until: number | null;
  /** The end of what was said last; only where something was. */
  readonly last?: NonNullable<Halt['last']>;
}

/** One open frame: the seed's `current_step` is the block, or the frame that it called. */
export interface FrameSummary {
  readonly frame: FramePath;
  readonly node: NodeId;
  readonly block: BlockId;
  /** Frames that the block has opened and that have not returned. */
  readonly children: readonly FramePath[];
}

/** How a run stands, without its data. */
export interface RunSummary {
  readonly run: RunId;
  readonly trace: string;
  readonly status: RunStatus;
  /** Why it failed; null otherwise. */
  readonly reason: Reason | null;
  /** Of the start. */
  readonly node: NodeId;
  /** Entered last. */
  readonly block: BlockId;
  readonly source: string | null;
  readonly directory: string | null;
  readonly started_at: number;
  readonly updated_at: number;
  /** Visits finished. */
  readonly steps: number;
  /** Successes whose evidence held, and those whose evidence did not; only where evidence was looked at. */
  readonly evidence?: { readonly held: number; readonly failed: number };
  readonly halts: readonly OpenHalt[];
  readonly frames: readonly FrameSummary[];
  readonly forked_from: { readonly run: RunId; readonly step: number } | null;
  /** Times that an engine took it up. */
  readonly openings: number;
  /** The claim of the engine that took it up last, as far as it is known. */
  readonly opened_by?: string;
}

/** One run of a project, for people who look. */
export type RunListing =
  | {
      readonly kind: 'run';
      readonly run: RunId;
      readonly summary: RunSummary;
      /** Bytes of its journal. */
      readonly size: number;
    }
  | {
      readonly kind: 'damaged';
      readonly run: RunId;
      readonly file: string;
      readonly line: number;
      readonly why: string;
      /** Before the damage: a fork can begin at each of them. */
      readonly steps: number;
    };
