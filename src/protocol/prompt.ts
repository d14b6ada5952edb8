import type { AiMessage } from './ai-call.ts';

/** A layer of a block's memory; docs/reference/engine.md lists them. */
export type Layer = 1 | 2 | 3 | 4 | 5;

/** A piece of a prompt, as it is sent and logged. */
export interface PromptSegment {
  readonly layer: Layer;
  /** A label: the segment's type and id, the file, or the key. */
  readonly name: string;
  readonly role: 'system' | 'user' | 'assistant';
  readonly text: string;
  /** The estimated size. */
  readonly tokens: number;
}

/** Parts that were left out of a prompt or shortened because the prompt exceeds the model's context. */
export interface PromptCut {
  readonly layer: Layer;
  readonly name: string;
  readonly tokens: number;
  /** The tokens that were kept. */
  readonly kept: number;
}

export interface Prompt {
  /** The segments in the order in which they are sent. */
  readonly segments: readonly PromptSegment[];
  readonly cut: readonly PromptCut[];
  /** The number of tokens sent for each layer, from 1 to 5. */
  readonly tokens: readonly [number, number, number, number, number];
}

const GAP = '\n\n';

/**
 * Builds the messages of a model request from segments. Adjacent segments of the same role become one message; system
 * segments become the instructions.
 */
export function chatOf(segments: readonly Pick<PromptSegment, 'role' | 'text'>[]): {
  readonly instructions: string;
  readonly messages: readonly AiMessage[];
} {
  const messages: { role: AiMessage['role']; content: string }[] = [];
  const system: string[] = [];
  for (const { role, text } of segments) {
    const last = messages.at(-1);
    if (role === 'system') system.push(text);
    else if (last?.role === role) last.content += GAP + text;
    else messages.push({ role, content: text });
  }
  return { instructions: system.join(GAP), messages };
}
