import type { SideEffects } from './graph.ts';
import type { JsonObject, JsonValue } from './json.ts';
import type { SegmentDraft } from './payload.ts';
import type { Answer } from './response.ts';

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

/** What a simulation with a script must do. */
export interface ScriptTest {
  /** A node or a block; null for the entry of the manifest. */
  readonly start: string | null;
  readonly input: string | JsonObject | null;
  /** Block ids in the order of their lookups, each with a signal or without one; null to accept any path. */
  readonly path: readonly { readonly block: string; readonly signal: string | null }[] | null;
  /** `success`, or the reason of the Response. */
  readonly end: string;
}

/** Scripted answers by block id, worker name or `*`. `@halts` has the answers to halts. */
export interface Script {
  readonly answers: ReadonlyMap<string, readonly ScriptEntry[]>;
  readonly halts: readonly ScriptedAnswer[];
  /** Absent in a script that is no test. */
  readonly test?: ScriptTest;
}

/** Returns the scripted form of an answer to the halts of a block. */
export const scriptedAnswer = (block: string, answer: Answer): ScriptedAnswer => ({
  block,
  answer: answer.verb,
  ...(answer.verb === 'jump' ? { to: answer.block } : {}),
  ...(answer.guidance === undefined ? {} : { guidance: answer.guidance }),
});

/** Returns a script with further answers to halts; null if there is neither. */
export function withHalts(script: Script | null, halts: readonly ScriptedAnswer[]): Script | null {
  if (halts.length === 0) return script;
  return { answers: script?.answers ?? new Map(), halts: [...(script?.halts ?? []), ...halts] };
}
