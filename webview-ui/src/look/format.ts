import type { Spending } from '#protocol/generated/view.gen.ts';

const SECOND = 1000;
const MINUTE = 60;
const HOUR = 60 * MINUTE;
const MICRO = 1_000_000;

const two = (number: number): string => String(number).padStart(2, '0');

/** Formats milliseconds as a clock time: `3:02` or `1:04:09`. */
export function clockTime(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / SECOND));
  const hours = Math.floor(seconds / HOUR);
  const minutes = Math.floor((seconds % HOUR) / MINUTE);
  return hours > 0 ? `${hours}:${two(minutes)}:${two(seconds % MINUTE)}` : `${minutes}:${two(seconds % MINUTE)}`;
}

/** Formats milliseconds as `12.4 s` below one minute, else as `1:22`. */
export const duration = (ms: number): string =>
  ms < MINUTE * SECOND ? `${(Math.max(0, ms) / SECOND).toFixed(1)} s` : clockTime(ms);

/** Formats a number of tokens: `340`, `61.4k`, `1.2M`. */
export function tokens(count: number): string {
  if (count < 1000) return String(count);
  if (count < 100_000) return `${(count / 1000).toFixed(1)}k`;
  return count < 1_000_000 ? `${Math.round(count / 1000)}k` : `${(count / 1_000_000).toFixed(1)}M`;
}

/** Formats micro-dollars: `$0.38`. An amount below one cent has four decimal places; null is an unknown cost. */
export function money(microUsd: number | null): string {
  if (microUsd === null) return 'unknown cost';
  const dollars = microUsd / MICRO;
  return `$${dollars > 0 && dollars < 0.01 ? dollars.toFixed(4) : dollars.toFixed(2)}`;
}

/** Formats the money of a sum: `at least $0.38` if a part of it is unknown. */
export const cost = ({ microUsd, atLeast }: Spending): string =>
  `${microUsd !== null && atLeast ? 'at least ' : ''}${money(microUsd)}`;

/** Formats a spending limit in micro-dollars; whole dollars have no decimal places: `$2`. */
export const limit = (microUsd: number): string => (microUsd % MICRO === 0 ? `$${microUsd / MICRO}` : money(microUsd));

/** Formats an elapsed time in milliseconds: `2 minutes ago`. */
export function ago(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / SECOND));
  const [count, unit] =
    seconds < MINUTE
      ? [seconds, 'second']
      : seconds < HOUR
        ? [Math.floor(seconds / MINUTE), 'minute']
        : seconds < 48 * HOUR
          ? [Math.floor(seconds / HOUR), 'hour']
          : [Math.floor(seconds / (24 * HOUR)), 'day'];
  return `${count} ${unit}${count === 1 ? '' : 's'} ago`;
}

export const plural = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`;
