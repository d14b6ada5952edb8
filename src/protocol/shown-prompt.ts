import type { AiMessage } from './ai-call.ts';
import type { ProviderName } from './provider.ts';
import type { JsonObject } from './json.ts';
import type { PromptCut, PromptSegment } from './prompt.ts';

/** Everything that is sent to a model for one block, as `run --show-prompt` prints it. */
export interface ShownPrompt {
  readonly block: string | null;
  readonly visit: number | null;
  readonly attempt: number | null;
  readonly provider: ProviderName;
  readonly model: string;
  readonly base_url: string | null;
  /** Null: any key of the provider. */
  readonly pool: string | null;
  /** The exact text that is sent. */
  readonly instructions: string;
  readonly messages: readonly AiMessage[];
  readonly schema: JsonObject | null;
  readonly temperature: number | null;
  readonly max_output_tokens: number | null;
  /** The segments that the prompt is made of, in order. */
  readonly segments: readonly PromptSegment[];
  readonly cut: readonly PromptCut[];
  readonly tokens: {
    /** Estimated tokens of layers 1 to 5. */
    readonly layers: readonly [number, number, number, number, number];
    readonly total: number;
    /** The model's context in tokens, prompt and answer together; null if unknown. */
    readonly context: number | null;
  };
  /** Millionths of a US dollar; null: unknown. */
  readonly cost: {
    readonly prompt_micro_usd: number | null;
    /** The cost if the answer has the maximum length. */
    readonly most_micro_usd: number | null;
    readonly source: string | null;
  };
}

/** Called before a prompt of a run is sent. `prompt` makes the shown form, which costs time. */
export type OnPrompt = (prompt: () => Promise<ShownPrompt>, run: string | null) => void | Promise<void>;
