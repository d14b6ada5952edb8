import type { JsonObject, JsonValue } from '#protocol/json.ts';
import type { EvidenceOutcome } from '#protocol/response.ts';
import type { ProgramBlock, ProgramNode } from './program.ts';
import type { OutcomeSegment } from './run-outcome.ts';

export interface StoredSegment {
  readonly id: string;
  readonly type: string;
  readonly content: string;
  readonly source: { readonly block: string; readonly visit: number } | null;
  readonly meta: JsonObject;
}

/** A segment that a worker hands back. */
export interface Draft {
  readonly id?: string;
  readonly type: string;
  readonly content: string;
  readonly meta?: JsonObject;
}

export type ExportMap = ReadonlyMap<string, JsonValue>;

/** One level of the return stack. */
export interface Frame {
  readonly path: string;
  readonly depth: number;
  readonly parent: Frame | null;
  /** Branch indexes of the FORKs it is in, outermost first: its place among frames that run side by side. */
  readonly order: readonly number[];
  /** The part of the path up to its last `[…]`: scripts count executions in it. */
  readonly branch: string;
  node: ProgramNode;
  payload: readonly StoredSegment[];
  exports: ExportMap;
  /** What this frame wrote, calls included: all that a join takes. */
  written: ExportMap;
  readonly visits: Map<string, number>;
  steps: number;
  visit: Visit | null;
  children: Children | null;
  returned: boolean;
}

/** The callee of a CALL, or the branches of a FORK. */
export interface Children {
  readonly kind: 'call' | 'fork';
  readonly frames: Frame[];
  readonly returnTo: string | null;
}

export interface Visit {
  readonly block: ProgramBlock;
  readonly number: number;
  readonly key: string;
  /** Null until it first finishes. */
  step: number | null;
  attempts: number;
  /** CALLs and FORKs opened so far. */
  openings: number;
  segments: number;
  recovery: RecoveryProgress;
  /** Layer 1 of the last execution. */
  layer: readonly OutcomeSegment[];
  /** Layer 1 of the request at hand, when a repair worker made it. */
  repaired: readonly OutcomeSegment[] | null;
  /** What its evidence came to, until the look-up that follows. */
  evidence: readonly EvidenceOutcome[];
  /** It failed because its evidence does not hold. */
  unproven: boolean;
  phase: 'before' | 'executing' | 'flagged' | 'left';
}

/** How far a visit is in its recovery lists. */
export interface RecoveryProgress {
  /** Executions of the request at hand. */
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
