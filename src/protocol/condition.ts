import type { Signal } from './id.ts';
import type { JsonValue } from './json.ts';
import type { Exports, Payload, Returned } from './payload.ts';

/** The data that a condition may read. It can read nothing else, so that a replay makes the same decision. */
export interface ConditionFacts {
  readonly exports: Exports;
  readonly payload: Payload;
  readonly response: { readonly success: boolean; readonly signal: Signal };
  readonly attempt: number;
  readonly visits: number;
  /** The outcomes of the frame's last CALL or FORK; empty before the first. */
  readonly returned: readonly Returned[];
}

/** A predicate without side effects. If it throws, the frame fails with `condition_resolution_error`. */
export type Condition = (facts: ConditionFacts, args: readonly JsonValue[]) => boolean;

/** Conditions by the ids that transitions use. */
export type Conditions = ReadonlyMap<string, Condition>;
