import type { JsonObject, JsonValue } from '#protocol/json.ts';
import type { PathEntry, Reason } from '#protocol/response.ts';

/** The result on which two implementations must agree, as JSON without anything that depends on ids or the clock. */
export interface RunOutcome {
  readonly success: boolean;
  /** The reason of a failure. `usage`: the script contains names that the manifest does not have. */
  readonly reason: Reason | 'usage' | null;
  /** The details that are determined by the manifest and the script alone. */
  readonly details: JsonObject;
  readonly path: readonly PathEntry[];
  readonly payload: readonly OutcomeSegment[];
  readonly exports: Readonly<Record<string, JsonValue>>;
  readonly steps: number;
  readonly depth: number;
  /** The node of the path's last entry. */
  readonly lastNode: string | null;
  readonly lastBlock: string | null;
}

/** The outcome of one child of a CALL or FORK. */
export interface ReturnedView {
  readonly node: string;
  readonly signal: string;
  readonly exports: JsonObject;
}

export interface OutcomeSegment {
  readonly type: string;
  readonly content: string;
  readonly source: { readonly block: string; readonly visit: number } | null;
}

/** The outcome of one child of a CALL or FORK. */
export interface ReturnedView {
  readonly node: string;
  readonly signal: string;
  readonly exports: JsonObject;
}

/** The part of a BlockMemory that does not depend on ids or the clock. */
export interface MemoryView {
  readonly block: string;
  readonly visit: number;
  readonly attempt: number;
  readonly frame: string;
  readonly payload: readonly OutcomeSegment[];
  readonly contract: {
    readonly persona: string | null;
    readonly contract: string | null;
    readonly signals: readonly string[];
  };
  readonly inherited: JsonObject;
  readonly exports: Readonly<Record<string, JsonValue>>;
  readonly returned: readonly ReturnedView[];
}

export interface RunRequest {
  readonly input?: string;
  readonly stepMode?: boolean;
  readonly onMemory?: (memory: MemoryView) => void;
}

/** Removes the parts that implementations may choose, such as the wording of a validation error. */
export const outcomeSegment = (segment: OutcomeSegment): OutcomeSegment => ({
  type: segment.type,
  content: segment.type === 'VALIDATION_ERROR' ? '' : segment.content,
  source: segment.source === null ? null : { block: segment.source.block, visit: segment.source.visit },
});
