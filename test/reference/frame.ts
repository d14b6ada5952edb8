import type { JsonObject, JsonValue } from '#protocol/json.ts';
import type { EvidenceOutcome } from '#protocol/response.ts';
import type { ProgramBlock, ProgramNode } from './program.ts';
import type { OutcomeSegment, ReturnedView } from './run-outcome.ts';

export interface StoredSegment {
  readonly id: string;
  readonly type: string;
  readonly content: string;
  readonly source: { readonly block: string; readonly visit: number } | null;
  readonly meta: JsonObject;
}

/** A segment that a worker returns. */
export interface Draft {
  readonly id?: string;
  readonly type: string;
  readonly content: string;
  readonly meta?: JsonObject;
}

type ExportMap = ReadonlyMap<string, JsonValue>;

/** One level of a run's call stack. */
export interface Frame {
  readonly path: string;
  readonly depth: number;
  readonly parent: Frame | null;
  /** The node that the CALL or FORK named. */
  readonly called: string;
  /** The branch indexes of the enclosing FORKs, outermost first, which order frames that run in parallel. */
  readonly order: readonly number[];
  /** The part of the frame's path up to its last `[…]`. A script counts executions per branch. */
  readonly branch: string;
  node: ProgramNode;
  payload: readonly StoredSegment[];
  exports: ExportMap;
  /** All exports written in this frame, including those of its calls. A join merges them into the caller. */
  written: ExportMap;
  readonly visits: Map<string, number>;
  readonly rejections: Map<string, number>;
  steps: number;
  visit: Visit | null;
  children: Children | null;
  /** True once the frame has returned to its caller. */
  isBack: boolean;
  /** The signal with which the frame would return now; null if it has none. */
  signal: string | null;
  /** The outcomes of the children of the last CALL or FORK. */
  returned: readonly ReturnedView[];
}

/** The callee of a CALL, or the branches of a FORK. */
interface Children {
  readonly kind: 'call' | 'fork';
  readonly frames: Frame[];
  readonly returnTo: string | null;
}

export interface Visit {
  readonly block: ProgramBlock;
  readonly number: number;
  readonly key: string;
  /** The step number; null until the visit first finishes. */
  step: number | null;
  attempts: number;
  /** Number of CALLs and FORKs that the visit has opened. */
  openings: number;
  segments: number;
  recovery: RecoveryProgress;
  /** The first memory layer of the last execution. */
  layer: readonly OutcomeSegment[];
  /** The first memory layer of the current request if a repair worker produced it; otherwise null. */
  repaired: readonly OutcomeSegment[] | null;
  /** The results of the evidence checks, until the following look-up. */
  evidence: readonly EvidenceOutcome[];
  /** True if the visit failed because its evidence did not hold. */
  unproven: boolean;
  phase: 'before' | 'executing' | 'flagged' | 'left';
}

/** The progress of a visit in its recovery lists. */
export interface RecoveryProgress {
  /** Number of executions of the current request. */
  executions: number;
  readonly lists: Map<string, { place: number; retries: number }>;
}

export const freshRecovery = (): RecoveryProgress => ({ executions: 0, lists: new Map() });

export const compareFrames = (left: Frame, right: Frame): number => {
  const shared = Math.min(left.order.length, right.order.length);
  for (let level = 0; level < shared; level += 1) {
    const difference = (left.order[level] ?? 0) - (right.order[level] ?? 0);
    if (difference !== 0) return difference;
  }
  return left.order.length - right.order.length;
};

export const stepKeyOf = (frame: Frame, block: string, visit: number): string =>
  `run${frame.path === '/' ? '' : frame.path}/${block}#${String(visit)}`;
