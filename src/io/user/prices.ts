import type * as GenaiPrices from '@pydantic/genai-prices';
import type { TokenUsage } from '#protocol/ai-call.ts';
import type { ProviderName } from '#protocol/provider.ts';

/** The prices of a model in US dollars per million tokens. */
interface ModelPrice {
  readonly input: number;
  readonly output: number;
  /** The price of tokens read from the provider's cache; the default is `input`. */
  readonly cached?: number;
}

/** Prices that override the table, by `provider/model`, `model`, or `provider/*`. */
export type PriceOverrides = Readonly<Record<string, ModelPrice>>;

interface PricedModel {
  readonly provider: ProviderName;
  readonly model: string;
  readonly baseUrl: string | null;
}

interface Cost {
  /**
   * The cost in millionths of a US dollar, rounded up. Null means unknown; an unknown cost is never reported as zero.
   */
  readonly microUsd: number | null;
  /** The origin of the price: `user`, `project` or the price table; null if the price is unknown. */
  readonly source: string | null;
}

type Tokens = Omit<TokenUsage, 'source'> & Partial<Pick<TokenUsage, 'source'>>;

export interface Prices {
  costOf(model: PricedModel, usage: Tokens): Promise<Cost>;
  /** Loads the table and returns `costOf` as a synchronous function. */
  load(): Promise<(model: PricedModel, usage: Tokens) => Cost>;
  /** Returns the size of a model's context window in tokens, or null if it is unknown. */
  contextTokens(model: PricedModel): Promise<number | null>;
}

/** The npm package whose price table is used. Nothing is fetched at run time. */
export const PRICE_TABLE = 'genai-prices@0.1.8';

const MICRO = 1_000_000;

/** Rounds a cost up; the tolerance keeps floating-point errors from adding a millionth. */
const rounded = (microUsd: number): number => Math.max(0, Math.ceil(microUsd - 1e-6));

const UNKNOWN: Cost = { microUsd: null, source: null };

function own(overrides: PriceOverrides, { provider, model }: PricedModel): ModelPrice | null {
  const names = [`${provider}/${model}`, model, `${provider}/*`];
  const name = names.find((one) => Object.hasOwn(overrides, one));
  return name === undefined ? null : (overrides[name] ?? null);
}

function costAt({ input, output, cached = input }: ModelPrice, source: string, usage: Tokens): Cost {
  const read = Math.min(usage.cached, usage.input);
  // US dollars per million tokens equal millionths of a dollar per token.
  const microUsd = rounded((usage.input - read) * input + read * cached + usage.output * output);
  return Number.isSafeInteger(microUsd) && microUsd >= 0 ? { microUsd, source } : UNKNOWN;
}

type Table = typeof GenaiPrices;

const sellerOf = ({ provider, baseUrl }: PricedModel) =>
  provider === 'openai-compatible' ? { providerApiUrl: baseUrl ?? '' } : { providerId: provider };

function findPrice(table: Table, model: PricedModel, usage: Record<string, number>) {
  // Without an address, the table would take the price of any provider that has a model of this name.
  if (model.provider === 'openai-compatible' && model.baseUrl === null) return null;
  try {
    return table.calcPrice(usage, model.model, sellerOf(model));
  } catch {
    // The table throws for contradictory token counts and for providers that it does not know.
    return null;
  }
}

function listed(table: Table, model: PricedModel, { input, output, cached, cacheWrite = 0 }: Tokens): Cost {
  const counts = {
    input_tokens: input,
    output_tokens: output,
    ...(cached === 0 ? {} : { cache_read_tokens: cached }),
    ...(cacheWrite === 0 ? {} : { cache_write_tokens: cacheWrite }),
  };
  const found = findPrice(table, model, counts);
  if (found === null || !Number.isFinite(found.total_price)) return UNKNOWN;
  return { microUsd: rounded(found.total_price * MICRO), source: PRICE_TABLE };
}

/**
 * Opens the prices. The user's prices override the project's, and these override the offline table, which is loaded at
 * first use.
 */
export function openPrices(user: PriceOverrides, project: PriceOverrides = {}): Prices {
  const written = (model: PricedModel, usage: Tokens): Cost | null => {
    const [mine, theirs] = [own(user, model), own(project, model)];
    if (mine !== null) return costAt(mine, 'user', usage);
    return theirs === null ? null : costAt(theirs, 'project', usage);
  };
  let loading: Promise<Table> | null = null;
  const table = (): Promise<Table> => (loading ??= import('@pydantic/genai-prices'));
  return {
    costOf: async (model, usage) => written(model, usage) ?? listed(await table(), model, usage),
    load: async () => {
      const loaded = await table();
      return (model, usage) => written(model, usage) ?? listed(loaded, model, usage);
    },
    contextTokens: async (model) => {
      const found = findPrice(await table(), model, { input_tokens: 1 });
      return found?.model.context_window ?? null;
    },
  };
}

const isPrice = (value: unknown): value is number => typeof value === 'number' && Number.isFinite(value) && value >= 0;

/** Reads prices from a parsed file, and lists the entries that are not valid prices. */
export function readPrices(value: unknown): { readonly prices: PriceOverrides; readonly problems: readonly string[] } {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return { prices: {}, problems: ['it is not an object of prices by model'] };
  const prices: [string, ModelPrice][] = [];
  const problems: string[] = [];
  for (const [name, price] of Object.entries(value) as [string, unknown][]) {
    const { input, output, cached } = (typeof price === 'object' && price !== null ? price : {}) as Readonly<
      Record<string, unknown>
    >;
    if (isPrice(input) && isPrice(output) && (cached === undefined || isPrice(cached)))
      prices.push([name, { input, output, ...(cached === undefined ? {} : { cached }) }]);
    else problems.push(`"${name}" needs "input" and "output", in US dollars per million tokens`);
  }
  return { prices: Object.fromEntries(prices), problems };
}
