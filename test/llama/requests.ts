import type { Asked } from './inference.ts';

interface ChatRequest {
  readonly model: string;
  readonly messages: Asked['messages'];
  readonly stream?: boolean;
  readonly stream_options?: { readonly include_usage?: boolean };
  readonly response_format?: { readonly json_schema?: { readonly schema?: unknown } };
  readonly max_tokens?: number;
  readonly temperature?: number;
  readonly seed?: number;
}

export interface ReadRequest {
  readonly model: string;
  readonly streams: boolean;
  readonly reportsUsage: boolean;
  readonly asked: Asked;
}

const MOST_TOKENS = 512;

/** Reads a chat completion request in OpenAI's format; throws if it is invalid. */
export function readRequest(body: string, seed: number): ReadRequest {
  const request = JSON.parse(body) as ChatRequest;
  return {
    model: request.model,
    streams: request.stream === true,
    reportsUsage: request.stream_options?.include_usage === true,
    asked: {
      messages: request.messages,
      schema: request.response_format?.json_schema?.schema ?? null,
      maxTokens: Math.min(request.max_tokens ?? MOST_TOKENS, MOST_TOKENS),
      temperature: request.temperature ?? 0,
      seed: request.seed ?? seed,
    },
  };
}
