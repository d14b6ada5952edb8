import type { SideEffects } from './graph.ts';
import type { JsonValue } from './json.ts';
import type { SegmentDraft } from './payload.ts';

/** One scripted execution: a model's text, a result, or an error. */
export type ScriptEntry = {
  readonly delay_ms?: number;
  readonly side_effects?: SideEffects;
  /** Makes the block's evidence fail after this execution in `simulate`; the text is its log. */
  readonly evidence_fails?: string;
} & (
  | { readonly text: string }
  | {
      readonly signal: string;
      readonly append?: readonly SegmentDraft[];
      readonly payload?: readonly SegmentDraft[];
      readonly exports?: Readonly<Record<string, JsonValue>>;
    }
  | { readonly error: string }
);

/** A scripted answer to a halt of one block. */
export interface ScriptedAnswer {
  readonly block: string;
  readonly answer: 'retry' | 'proceed' | 'reject' | 'next' | 'jump' | 'abort';
  /** The target block of a `jump`. */
  readonly to?: string;
  readonly guidance?: string;
}

/** Scripted answers by block id, worker name or `*`. `@halts` has the answers to halts. */
export interface Script {
  readonly answers: ReadonlyMap<string, readonly ScriptEntry[]>;
  readonly halts: readonly ScriptedAnswer[];
}
