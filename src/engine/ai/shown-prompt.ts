import type { openPrices } from '#io/user/prices.ts';
import type { AiOrder } from '#protocol/ai-service.ts';
import type { ShownPrompt } from '#protocol/shown-prompt.ts';

type PriceTable = ReturnType<typeof openPrices>;

async function costOf({ request, prompt }: AiOrder, prices: PriceTable): Promise<ShownPrompt['cost']> {
  const input = prompt.tokens.reduce((sum, one) => sum + one, 0);
  const usage = { input, output: 0, cached: 0, reasoning: 0 };
  const least = await prices.costOf(request, usage);
  const longest = request.maxOutputTokens;
  const most = longest === null ? null : await prices.costOf(request, { ...usage, output: longest });
  return { prompt_micro_usd: least.microUsd, most_micro_usd: most?.microUsd ?? null, source: least.source };
}

/** Returns a prompt with its estimated cost. */
export async function shownPrompt(order: AiOrder, prices: PriceTable): Promise<ShownPrompt> {
  const { request, prompt, place, pool } = order;
  const { provider, model, baseUrl, instructions, messages, schema, temperature, maxOutputTokens } = request;
  const { tokens, segments, cut } = prompt;
  return {
    block: place.block,
    visit: place.visit,
    attempt: place.attempt,
    provider,
    model,
    base_url: baseUrl,
    pool,
    instructions,
    messages,
    schema,
    temperature,
    max_output_tokens: maxOutputTokens,
    segments,
    cut,
    tokens: {
      layers: tokens,
      total: tokens.reduce((sum, one) => sum + one, 0),
      context: await prices.contextTokens(request),
    },
    cost: await costOf(order, prices),
  };
}
