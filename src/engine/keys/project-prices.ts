import { configFolder } from '#io/user/config-folder.ts';
import { providerNamed } from '#protocol/provider.ts';
import { openPrices, type Prices } from '#io/user/prices.ts';
import { type PriceFile, readPriceFiles } from '#io/user/user-prices.ts';
import type { PriceOfCall } from '#logic/calls/sum-calls.ts';

interface ProjectPrices {
  readonly prices: Prices;
  /** The price files that exist. */
  readonly files: readonly PriceFile[];
  /** Messages about entries that are not prices. */
  readonly problems: readonly string[];
}

/** The maximum number of problems reported per file. */
const MOST_PROBLEMS = 5;

function problemsOf({ file, problems }: PriceFile): readonly string[] {
  const listed = problems.slice(0, MOST_PROBLEMS).map((problem) => `${file}: ${problem.slice(0, 200)}`);
  const more = problems.length - listed.length;
  return more === 0 ? listed : [...listed, `${file}: ${more} more of this kind`];
}

/** Returns the prices that apply in a project. */
export async function projectPrices(
  root: string,
  environment: Readonly<Record<string, string | undefined>>,
): Promise<ProjectPrices> {
  const files = await readPriceFiles(configFolder(environment), root);
  const of = (source: PriceFile['source']) => files.find((one) => one.source === source)?.prices ?? {};
  return { prices: openPrices(of('user'), of('project')), files, problems: files.flatMap(problemsOf) };
}

/**
 * Returns what logged calls would cost today. For a provider with several addresses, only prices of the user or the
 * project apply.
 */
export async function pricesToday(root: string, environment: Readonly<Record<string, string | undefined>>) {
  const { prices, files, problems } = await projectPrices(root, environment);
  const costOf = await prices.load();
  const priceOf: PriceOfCall = ({ provider, model, input, output, cached }) => {
    const known = providerNamed(provider);
    if (known === null || input === null) return null;
    const usage = { input, output: output ?? 0, cached: cached ?? 0, reasoning: 0 };
    return costOf({ provider: known, model, baseUrl: null }, usage).microUsd;
  };
  return { priceOf, files, problems };
}
