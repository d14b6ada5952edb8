import type { Spent } from './spent.ts';

/** Formats a price as `$0.0057` or `$12.30`; an unknown price is a question mark, never zero. */
export function moneyText(microUsd: number | null): string {
  if (microUsd === null) return '?';
  const usd = microUsd / 1_000_000;
  if (microUsd === 0 || usd >= 1) return `$${usd.toFixed(2)}`;
  return `$${usd.toFixed(usd >= 0.01 ? 4 : 6)}`;
}

/** Formats a cost; if more was spent, it says so. */
export const costText = ({ microUsd, atLeast }: Pick<Spent, 'microUsd' | 'atLeast'>): string =>
  `${microUsd !== null && atLeast === true ? 'at least ' : ''}${moneyText(microUsd)}`;

/** Formats tokens and cost; an empty text if no model was called. */
export const spentText = (spent: Spent): string =>
  spent.tokens === 0 && spent.microUsd === 0 ? '' : `${spent.tokens} tokens, ${costText(spent)}`;

const UNITS = ['B', 'KB', 'MB', 'GB', 'TB'] as const;

/** Formats bytes as `812 B`, `3.4 KB`, `120 MB`, with units of 1,000 as in `--max-size`. */
export function bytesText(bytes: number): string {
  let value = bytes;
  let unit = 0;
  while (value >= 999.5 && unit < UNITS.length - 1) {
    value /= 1000;
    unit += 1;
  }
  const digits = unit === 0 || value >= 100 ? 0 : 1;
  return `${value.toFixed(digits)} ${UNITS[unit] ?? ''}`;
}
