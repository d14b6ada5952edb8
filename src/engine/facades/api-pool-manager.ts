import type { AiRequest } from '#protocol/ai-call.ts';
import type { AiOrder, AiReply } from '#protocol/ai-service.ts';
import { estimateTokens } from '#protocol/estimate-tokens.ts';
import type { Graph } from '#protocol/graph.ts';
import { chatOf, type PromptSegment } from '#protocol/prompt.ts';
import type { Engine } from '../open/engine.ts';

/** A model call that a user of the library requests. */
export interface PoolOrder extends Partial<Pick<AiRequest, 'baseUrl' | 'schema' | 'maxOutputTokens' | 'temperature'>> {
  readonly provider: AiRequest['provider'];
  readonly model: string;
  /** The system message; empty by default. */
  readonly instructions?: string;
  readonly message: string;
  /** A pool of the manifest; by default all keys of the provider. */
  readonly pool?: string;
  /** Calls of the same conversation use the same key while that key is healthy. */
  readonly conversation?: string;
}

const NOBODY: AiOrder['place'] = {
  run: null,
  session: null,
  task: null,
  node: null,
  block: null,
  visit: null,
  attempt: null,
  step: null,
};

const LIMITS = { firstTokenMs: 120_000, idleMs: 120_000, totalMs: 1_800_000 };

const segment = (role: PromptSegment['role'], name: string, text: string): PromptSegment => ({
  layer: role === 'system' ? 2 : 1,
  name,
  role,
  text,
  tokens: estimateTokens(text),
});

function orderOf(order: PoolOrder): AiOrder {
  const { provider, model, instructions = '', message, pool = null, conversation = 'library' } = order;
  const { baseUrl = null, schema = null, maxOutputTokens = null, temperature = null } = order;
  const segments = [
    ...(instructions === '' ? [] : [segment('system', 'instructions', instructions)]),
    segment('user', 'message', message),
  ];
  const request: AiRequest = {
    provider,
    model,
    baseUrl,
    schema,
    maxOutputTokens,
    temperature,
    limits: LIMITS,
    ...chatOf(segments),
  };
  const tokens = [estimateTokens(message), estimateTokens(instructions), 0, 0, 0] as const;
  return { conversation, pool, place: NOBODY, request, prompt: { segments, cut: [], tokens } };
}

/**
 * Calls models with the keys of an engine, with failover. `openEngine(root, {keys})` determines where the engine reads
 * its keys: environment, keychain or the caller's `SecureStorageService`.
 */
export class ApiPoolManager {
  readonly #engine: Pick<Engine, 'call'>;
  readonly #graph: Pick<Graph, 'pools' | 'budgets'>;

  /** `graph`: pools and budgets of a manifest; without it, all keys and no budget. */
  constructor(engine: Pick<Engine, 'call'>, graph: Pick<Graph, 'pools' | 'budgets'> = { pools: {}, budgets: {} }) {
    this.#engine = engine;
    this.#graph = graph;
  }

  /** Makes one call; another key is used if one fails. Throws a RoboSmithError `waits` if nothing can be sent now. */
  execute(order: PoolOrder, signal: AbortSignal = new AbortController().signal): Promise<AiReply> {
    return this.#engine.call(this.#graph, orderOf(order), signal, () => undefined);
  }
}
