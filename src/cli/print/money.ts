/** Formats a price as `$0.0057` or `$12.30`; an unknown price is a question mark, never zero. */
export function moneyText(microUsd: number | null): string {
  if (microUsd === null) return '?';
  const usd = microUsd / 1_000_000;
  if (microUsd === 0 || usd >= 1) return `$${usd.toFixed(2)}`;
  return `$${usd.toFixed(usd >= 0.01 ? 4 : 6)}`;
}

/** Formats a sum of costs. `unknown` is the number of calls without a known price. */
export const sumText = (microUsd: number, unknown: number): string =>
  unknown === 0 ? moneyText(microUsd) : microUsd === 0 ? '?' : `${moneyText(microUsd)} + ?`;
