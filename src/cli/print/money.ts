/** `$0.0057`, `$12.30`; a price that nobody knows is a question mark, never zero. */
export function moneyText(microUsd: number | null): string {
  if (microUsd === null) return '?';
  const usd = microUsd / 1_000_000;
  if (microUsd === 0 || usd >= 1) return `$${usd.toFixed(2)}`;
  return `$${usd.toFixed(usd >= 0.01 ? 4 : 6)}`;
}

/** Of a sum, a part of which has no price. */
export const sumText = (microUsd: number, unknown: number): string =>
  unknown === 0 ? moneyText(microUsd) : microUsd === 0 ? '?' : `${moneyText(microUsd)} + ?`;
