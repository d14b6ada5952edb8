import type { OnAiFact } from './ai-fact.ts';
import type { AiRequest, FinishReason, TokenUsage } from './ai-call.ts';
import type { Graph, Validation } from './graph.ts';
import type { Prompt } from './prompt.ts';
import type { Spent } from './spent.ts';

/** Who asks, for the call log and for budgets. */
export interface CallPlace {
  readonly run: string | null;
  readonly session: string | null;
  readonly task: string | null;
  readonly node: string | null;
  readonly block: string | null;
  readonly visit: number | null;
  /** Of the block's execution, not of the call. */
  readonly attempt: number | null;
  readonly step: string | null;
}

/** One call of a model, whichever key answers it. */
export interface AiOrder {
  /** Calls with the same one stay on their key while it is healthy: session and block. */
  readonly conversation: string;
  /** Null: the keys of the provider. */
  readonly pool: string | null;
  readonly place: CallPlace;
  readonly request: AiRequest;
  readonly prompt: Prompt;
  /** How its answer is read, for the log. */
  readonly rules?: Validation;
  /** The call that it repeats. */
  readonly origin?: string;
}

export type AiReply =
  | {
      readonly ok: true;
      /** Its name in the call log. */
      readonly call: string;
      readonly text: string;
      readonly finish: FinishReason;
      /** Of all its attempts. */
      readonly usage: TokenUsage;
      /** Of all its attempts, in millionths of a US dollar; null: unknown. */
      readonly costMicroUsd: number | null;
      /** Alias of the key that answered. */
      readonly key: string;
    }
  | {
      readonly ok: false;
      readonly call: string;
      readonly kind: string;
      readonly message: string;
      /** Of all its attempts; null: none has used anything. */
      readonly usage: TokenUsage | null;
      readonly costMicroUsd: number | null;
    };

/** An answer that is in the call log, with the prompt that it answers. */
export interface KnownAnswer {
  readonly reply: Extract<AiReply, { readonly ok: true }>;
  readonly prompt: Prompt;
}

/** Models for the runs of one project. */
export interface ModelCalls {
  /** With the pools and budgets of this manifest. */
  serviceFor(graph: Pick<Graph, 'pools' | 'budgets'>): AiService;
}

/** Models as a worker reaches them. */
export interface AiService {
  /** Throws a RoboSmithError `waits` when nothing can be sent now; rejects with the signal's reason. */
  call(order: AiOrder, signal: AbortSignal, onText: (text: string) => void, onFact?: OnAiFact): Promise<AiReply>;
  /** What an execution was answered, by the log; null: the log has no answer of it. */
  known?(place: CallPlace): Promise<KnownAnswer | null>;
  /** What the calls of an execution have used, by the log. */
  spent?(place: CallPlace): Promise<readonly Spent[]>;
  /** How many tokens the model takes, question and answer together; null: unknown. */
  contextTokens(model: Pick<AiRequest, 'provider' | 'model' | 'baseUrl'>): Promise<number | null>;
}
