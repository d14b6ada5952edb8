import type { OnAiFact, FallbackCause } from './ai-fact.ts';
import type { AiRequest, FinishReason, TokenUsage } from './ai-call.ts';
import type { Graph, Validation } from './graph.ts';
import type { Prompt } from './prompt.ts';
import type { Spent } from './spent.ts';

/** The origin of a call, for the call log and for budgets. */
export interface CallPlace {
  readonly run: string | null;
  readonly session: string | null;
  readonly task: string | null;
  readonly node: string | null;
  readonly block: string | null;
  readonly visit: number | null;
  /** The number of the attempt within the block's visit; not an attempt of the call. */
  readonly attempt: number | null;
  readonly step: string | null;
}

/** A part of an answer that a model is writing, for displays. */
export interface AnswerPiece {
  readonly place: CallPlace;
  /** Null: an answer begins, or begins again. */
  readonly text: string | null;
}

/** One call of a model, independent of the key that serves it. */
export interface AiOrder {
  /** Identifies the conversation (session and block). All its calls use the same key while that key is healthy. */
  readonly conversation: string;
  /** Null: all keys of the provider. */
  readonly pool: string | null;
  readonly place: CallPlace;
  readonly request: AiRequest;
  readonly prompt: Prompt;
  /** The rules by which the answer is validated, recorded in the call log. */
  readonly rules?: Validation;
  /** The name of the logged call that this call repeats. */
  readonly origin?: string;
  /** The model that this call's model replaces, and why. Absent if this is the worker's own model. */
  readonly insteadOf?: { readonly model: string; readonly why: FallbackCause };
  /** False: the call does not wait for a key that is busy or cooling, because another model can be used. */
  readonly waits?: boolean;
}

/** The result of a model call after all attempts. A failed call has the failure class of its last attempt. */
export type AiReply =
  | {
      readonly ok: true;
      /** The call's name in the call log. */
      readonly call: string;
      readonly text: string;
      readonly finish: FinishReason;
      /** The sum over all attempts. */
      readonly usage: TokenUsage;
      /** The sum over all attempts, in millionths of a US dollar; null if a price is unknown. */
      readonly costMicroUsd: number | null;
      /** The alias of the key that served the call. */
      readonly key: string;
    }
  | {
      readonly ok: false;
      readonly call: string;
      readonly kind: string;
      readonly message: string;
      /** The sum over all attempts; null if none used anything. */
      readonly usage: TokenUsage | null;
      readonly costMicroUsd: number | null;
    };

/** An answer in the call log, with the prompt that it answers. */
export interface KnownAnswer {
  readonly reply: Extract<AiReply, { readonly ok: true }>;
  readonly prompt: Prompt;
}

/** Model calls for the runs of one project. */
export interface ModelCalls {
  /** Returns the service with the pools and budgets of this manifest. */
  serviceFor(graph: Pick<Graph, 'pools' | 'budgets'>): AiService;
}

/** Model calls, as a worker makes them. */
export interface AiService {
  /** Throws a RoboSmithError `waits` if nothing can be sent now. Rejects with the signal's reason. */
  call(order: AiOrder, signal: AbortSignal, onText: (text: string) => void, onFact?: OnAiFact): Promise<AiReply>;
  /** Returns the answer that the log holds for an execution, or null. */
  known?(place: CallPlace): Promise<KnownAnswer | null>;
  /** Returns what the calls of an execution have used, from the log. */
  spent?(place: CallPlace): Promise<readonly Spent[]>;
  /** Returns the size of the model's context in tokens, prompt and answer together, or null if it is unknown. */
  contextTokens(model: Pick<AiRequest, 'provider' | 'model' | 'baseUrl'>): Promise<number | null>;
}
