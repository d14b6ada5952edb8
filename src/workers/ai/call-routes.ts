import type { FallbackCause } from '#protocol/ai-fact.ts';
import type { AiOrder, AiReply, AiService } from '#protocol/ai-service.ts';
import { RoboSmithError } from '#protocol/error.ts';
import type { AiSettings } from './read-settings.ts';

type Answered = Extract<AiReply, { ok: true }>;
type Failed = Extract<AiReply, { ok: false }>;

/** A reply, and the failed replies of the models that were tried before. */
interface Routed {
  readonly settings: AiSettings;
  readonly order: AiOrder;
  readonly reply: Answered | Failed;
  readonly unused: readonly AiReply[];
}

interface Spent {
  readonly spent: RoboSmithError;
}

/**
 * Returns whether a call was not made because no key can be used now. An exceeded budget does not count, because it
 * limits all models.
 */
const isSpent = (thrown: unknown): thrown is RoboSmithError =>
  RoboSmithError.is(thrown, 'waits') && ['quota', 'endpoint', 'keys'].some((why) => thrown.data['why'] === why);

/** Returns why another model must be called, or null if the result is final. */
function causeOf(ended: AiReply | Spent): FallbackCause | null {
  if ('spent' in ended) return 'exhausted';
  if (ended.ok) return ended.finish === 'content_filter' ? 'content_filter' : null;
  return ended.kind === 'context_length' || ended.kind === 'content_filter' ? ended.kind : null;
}

interface RouteParts {
  readonly ai: AiService;
  /** The worker's own model, and its alternatives in order. */
  readonly routes: readonly [AiSettings, ...AiSettings[]];
  /** True if the execution fails when no key of any route can be used; false if the run waits. */
  readonly failsIfExhausted: boolean;
  readonly signal: AbortSignal;
  readonly onText: (text: string) => void;
}

/** Returns the request for a model, or the error if the prompt is too long for it. */
export type OrderFor = (settings: AiSettings) => Promise<AiOrder | RoboSmithError>;

/**
 * Returns a function that calls the worker's model, or the first of its alternatives that can be used. Later calls of
 * the same execution use the same model.
 */
export function createRoutes({ ai, routes, failsIfExhausted, signal, onText }: RouteParts) {
  let at = 0;
  let insteadOf: AiOrder['insteadOf'];

  const current = (): AiSettings => routes[at] ?? routes[0];
  const next = (why: FallbackCause): boolean => {
    if (at + 1 >= routes.length) return false;
    insteadOf = { model: current().request.model, why };
    at += 1;
    return true;
  };

  const callOnce = async (order: AiOrder): Promise<AiReply | Spent> => {
    try {
      return await ai.call(order, signal, onText);
    } catch (thrown) {
      if (isSpent(thrown)) return { spent: thrown };
      throw thrown;
    }
  };

  return async (orderFor: OrderFor): Promise<Routed> => {
    const unused: AiReply[] = [];
    for (;;) {
      const settings = current();
      const plain = await orderFor(settings);
      if (plain instanceof RoboSmithError) {
        if (next('context_length')) continue;
        throw plain;
      }
      const isLast = at === routes.length - 1;
      const order: AiOrder = {
        ...plain,
        ...(insteadOf === undefined ? {} : { insteadOf }),
        ...(isLast ? {} : { waits: false }),
      };
      const ended = await callOnce(order);
      const why = causeOf(ended);
      if (why !== null && next(why)) {
        if (!('spent' in ended)) unused.push(ended);
        continue;
      }
      if (!('spent' in ended)) return { settings, order, reply: ended, unused };
      if (!failsIfExhausted) throw ended.spent;
      throw new RoboSmithError('ai_failed', ended.spent.message, { kind: 'exhausted' });
    }
  };
}
