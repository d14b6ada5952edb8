import type { AiMessage } from './ai-call.ts';

/** The five layers of memory (spec/manifest.md "Memory"). */
export type Layer = 1 | 2 | 3 | 4 | 5;

/** A piece of a prompt, as it is sent and as the call log keeps it. */
export interface PromptSegment {
  readonly layer: Layer;
  /** For people: the segment's type and id, the file, the key. */
  readonly name: string;
  readonly role: 'system' | 'user' | 'assistant';
  readonly text: string;
  /** Estimated. */
  readonly tokens: number;
}

/** What was left out of a prompt, or made shorter, because the model can't take it all. */
export interface PromptCut {
  readonly layer: Layer;
  readonly name: string;
  readonly tokens: number;
  /** Tokens of it that are still there. */
  readonly kept: number;
}

export interface Prompt {
  /** In the order in which they are sent. */
  readonly segments: readonly PromptSegment[];
  readonly cut: readonly PromptCut[];
  /** Of what is sent, for each layer, from 1 to 5. */
  readonly tokens: readonly [number, number, number, number, number];
}

const GAP = '\n\n';

/** The segments as a chat: neighbours of one role are one turn. Edited segments give another chat, so a call can be made again. */
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
