import type { SideEffects } from './graph.ts';
import type { JsonValue } from './json.ts';
import type { SegmentDraft } from './payload.ts';

/** One scripted execution (spec/cli.md "Scripts"): an AI's text, a result, or a throw. */
export type ScriptEntry = {
  readonly delay_ms?: number;
  readonly side_effects?: SideEffects;
  /** In `simulate`: the block's evidence does not hold after this execution; its log. */
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

export interface ScriptedAnswer {
  readonly block: string;
  readonly answer: 'retry' | 'proceed' | 'next' | 'jump' | 'abort';
  /** The target, with `jump`. */
  readonly to?: string;
  readonly guidance?: string;
}

/** `@halts` apart, keys are block ids, worker names or `*`. */
export interface Script {
  readonly answers: ReadonlyMap<string, readonly ScriptEntry[]>;
  readonly halts: readonly ScriptedAnswer[];
}
