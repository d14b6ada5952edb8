import type { Signal } from './id.ts';
import type { JsonValue } from './json.ts';
import type { Exports, Payload } from './payload.ts';

/** What a condition may look at; nothing else, so that a replay decides the same. */
export interface ConditionFacts {
  readonly exports: Exports;
  readonly payload: Payload;
  readonly response: { readonly success: boolean; readonly signal: Signal };
  readonly attempt: number;
  readonly visits: number;
}

/** A predicate without side effects (seed 002 "Condition Resolution"). A throw fails the frame (`condition_resolution_error`). */
export type Condition = (facts: ConditionFacts, args: readonly JsonValue[]) => boolean;

export type Conditions = ReadonlyMap<string, Condition>;
