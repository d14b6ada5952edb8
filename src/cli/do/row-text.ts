import { moneyText } from '#protocol/amount-text.ts';
import { withoutSequences } from '#protocol/plain-text.ts';
import { textBeginning, textWidth } from '../print/text-width.ts';
import type { Screen } from '../terminal/cli-io.ts';

const WIDEST = 100;
const DEFAULT_WIDTH = 80;
const NARROW = 60;

const widthOf = (screen: Screen): number => (screen.isTerminal ? Math.min(WIDEST, screen.columns()) : DEFAULT_WIDTH);

/** Formats a duration as `0.4 s`, `41 s` or `1 min 3 s`. */
export function timeText(ms: number): string {
  if (ms < 950) return `${(ms / 1000).toFixed(1)} s`;
  const seconds = Math.round(ms / 1000);
  if (seconds < 60) return `${String(seconds)} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${String(minutes)} min ${String(seconds % 60)} s`;
  return `${String(Math.floor(minutes / 60))} h ${String(minutes % 60)} min`;
}

/** Formats a cost as `$0.21`; empty for nothing or an unknown price. */
function priceText(microUsd: number | null): string {
  if (microUsd === null || microUsd === 0) return '';
  return microUsd >= 10_000 ? `$${(microUsd / 1_000_000).toFixed(2)}` : moneyText(microUsd);
}

/** Returns time and cost in columns of fixed width. */
const amounts = (ms: number | null, microUsd: number | null): string =>
  `${(ms === null ? '' : timeText(ms)).padStart(10)}${priceText(microUsd).padStart(9)}`;

/** Returns the columns that a text takes, without its colours. */
export const visibleWidth = (painted: string): number => textWidth(withoutSequences(painted));

/** Returns a line with time and cost at its right edge; its text is cut if it has no room. On a narrow screen they follow the text. */
export function rowText(
  text: string,
  spent: { readonly ms: number | null; readonly microUsd: number | null },
  screen: Screen,
  dim: (text: string) => string,
): string {
  const width = widthOf(screen);
  const right = amounts(spent.ms, spent.microUsd);
  if (width < NARROW) return `${text}  ${dim(right.trim().replaceAll(/\s{2,}/g, '  '))}`;
  const room = width - right.length;
  const used = visibleWidth(text);
  if (used <= room) return `${text}${' '.repeat(room - used)}${dim(right.trimEnd())}`;
  // The text is cut without its colours, because a cut sequence would colour the rest of the screen.
  return `${textBeginning(withoutSequences(text), room - 2)}… ${dim(right.trimEnd())}`;
}
