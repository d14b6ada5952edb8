import type * as GenaiPrices from '@pydantic/genai-prices';
import type { ProviderName, TokenUsage } from '#protocol/ai-call.ts';

/** In US dollars for a million tokens. */
export interface ModelPrice {
  readonly input: number;
  readonly output: number;
  /** Read from the provider's cache; without it, as `input`. */
  readonly cached?: number;
}

/** Prices that beat the table, by `provider/model`, `model`, or `provider/*`. */
export type PriceOverrides = Readonly<Record<string, ModelPrice>>;

export interface PricedModel {
  readonly provider: ProviderName;
  readonly model: string;
  readonly baseUrl: string | null;
}

export interface Cost {
  /** Millionths of a US dollar, rounded up; null: unknown, which is never zero. */
  readonly microUsd: number | null;
  /** Whose price it is; null when nobody has one. */
  readonly source: string | null;
}

type Tokens = Omit<TokenUsage, 'source'> & Partial<Pick<TokenUsage, 'source'>>;

export interface Prices {
  costOf(model: PricedModel, usage: Tokens): Promise<Cost>;
  /** The same without waiting, once the table is loaded. */
  load(): Promise<(model: PricedModel, usage: Tokens) => Cost>;
  /** Tokens that a model takes; null: unknown. */
  contextTokens(model: PricedModel): Promise<number | null>;
}

/** The table is that of this version of the package; nothing is fetched. */
export const PRICE_TABLE = 'genai-prices@0.1.8';

const MICRO = 1_000_000;

/** Up; what floating point adds to a whole number is no millionth. */
const rounded = (microUsd: number): number => Math.max(0, Math.ceil(microUsd - 1e-6));

const UNKNOWN: Cost = { microUsd: null, source: null };

function own(overrides: PriceOverrides, { provider, model }: PricedModel): ModelPrice | null {
  const names = [`${provider}/${model}`, model, `${provider}/*`];
  const name = names.find((one) => Object.hasOwn(overrides, one));
  return name === undefined ? null : (overrides[name] ?? null);
}

function costAt({ input, output, cached = input }: ModelPrice, source: string, usage: Tokens): Cost {
  const read = Math.min(usage.cached, usage.input);
  // Dollars for a million tokens are millionths of a dollar for one.
  const microUsd = rounded((usage.input - read) * input + read * cached + usage.output * output);
  return Number.isSafeInteger(microUsd) && microUsd >= 0 ? { microUsd, source } : UNKNOWN;
}

type Table = typeof GenaiPrices;

const sellerOf = ({ provider, baseUrl }: PricedModel) =>
  provider === 'openai-compatible' ? { providerApiUrl: baseUrl ?? '' } : { providerId: provider };

function look(table: Table, model: PricedModel, usage: Record<string, number>) {
  try {
    return table.calcPrice(usage, model.model, sellerOf(model));
  } catch {
    // Counts that contradict each other, or a seller that it does not know.
    return null;
  }
}

function listed(table: Table, model: PricedModel, { input, output, cached, cacheWrite = 0 }: Tokens): Cost {
  const counts = {
    ...{ input_tokens: input, output_tokens: output },
    ...(cached === 0 ? {} : { cache_read_tokens: cached }),
    ...(cacheWrite === 0 ? {} : { cache_write_tokens: cacheWrite }),
  };
  const found = look(table, model, counts);
  if (found === null || !Number.isFinite(found.total_price)) return UNKNOWN;
  return { microUsd: rounded(found.total_price * MICRO), source: PRICE_TABLE };
}

/** Prices by the offline table, over it the project's, over them the user's own (spec/workers.md "The key pool"). The table is loaded at first use. */
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
      const found = look(await table(), model, { input_tokens: 1 });
      return found?.model.context_window ?? null;
    },
  };
}

const isPrice = (value: unknown): value is number => typeof value === 'number' && Number.isFinite(value) && value >= 0;

/** The user's prices as they come out of a file; what is no price is named. */
export function readPrices(value: unknown): { readonly prices: PriceOverrides; readonly problems: readonly string[] } {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return { prices: {}, problems: ['it is no object of prices by model'] };
  const prices: [string, ModelPrice][] = [];
  const problems: string[] = [];
  for (const [name, price] of Object.entries(value) as [string, unknown][]) {
    const { input, output, cached } = (typeof price === 'object' && price !== null ? price : {}) as Readonly<
      Record<string, unknown>
    >;
    if (isPrice(input) && isPrice(output) && (cached === undefined || isPrice(cached)))
      prices.push([name, { input, output, ...(cached === undefined ? {} : { cached }) }]);
    else problems.push(`"${name}" needs "input" and "output", in US dollars for a million tokens`);
  }
  return { prices: Object.fromEntries(prices), problems };
}
