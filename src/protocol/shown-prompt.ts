import type { AiMessage, ProviderName } from './ai-call.ts';
import type { JsonObject } from './json.ts';
import type { PromptCut, PromptSegment } from './prompt.ts';

/** All that a model is sent for one block, as `run --show-prompt` shows it (spec/workers.md "What leaves the machine"). */
export interface ShownPrompt {
  readonly block: string | null;
  readonly visit: number | null;
  readonly attempt: number | null;
  readonly provider: ProviderName;
  readonly model: string;
  readonly base_url: string | null;
  /** Null: any key of the provider. */
  readonly pool: string | null;
  /** As they are sent, to the letter. */
  readonly instructions: string;
  readonly messages: readonly AiMessage[];
  readonly schema: JsonObject | null;
  readonly temperature: number | null;
  readonly max_output_tokens: number | null;
  /** Of which they are made, in order. */
  readonly segments: readonly PromptSegment[];
  readonly cut: readonly PromptCut[];
  readonly tokens: {
    /** Of the layers 1 to 5; estimated. */
    readonly layers: readonly [number, number, number, number, number];
    readonly total: number;
    /** What the model takes, question and answer together; null: unknown. */
    readonly context: number | null;
  };
  /** Millionths of a US dollar; null: unknown. */
  readonly cost: {
    readonly prompt_micro_usd: number | null;
    /** With the longest answer that is asked for. */
    readonly most_micro_usd: number | null;
    readonly source: string | null;
  };
}
