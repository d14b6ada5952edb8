import type { AttemptFacts } from '#protocol/ai-call.ts';
import type { ErrorBody } from './error-body.ts';

type Headers = AttemptFacts['headers'];

const UNITS: Readonly<Record<string, number>> = {
  ms: 1,
  millisecond: 1,
  s: 1_000,
  sec: 1_000,
  second: 1_000,
  m: 60_000,
  min: 60_000,
  minute: 60_000,
  h: 3_600_000,
  hr: 3_600_000,
  hour: 3_600_000,
  d: 86_400_000,
  day: 86_400_000,
  week: 7 * 86_400_000,
};

const PART = /(\d{1,9}(?:\.\d{1,9})?)\s?([a-z]{1,12})\s?/g;
const WHOLE = /^(?:\d{1,9}(?:\.\d{1,9})?\s?[a-z]{1,12}\s?){1,4}$/;

/** Parses `20ms`, `7m12s`, `1h2m3.5s`, `37s`, `2 hours 5 minutes`; null for anything else. */
function durationOf(text: string): number | null {
  const lower = text.trim().toLowerCase();
  if (!WHOLE.test(lower)) return null;
  let total = 0;
  for (const [, amount, name = ''] of lower.matchAll(PART)) {
    const unit = UNITS[name] ?? UNITS[name.replace(/s$/, '')];
    if (unit === undefined) return null;
    total += Number(amount) * unit;
  }
  return Math.ceil(total);
}

const numberOf = (text: string | undefined): number | null =>
  text !== undefined && /^\s*-?\d{1,16}(?:\.\d{1,12})?\s*$/.test(text) ? Number(text) : null;

/** Parses a date with a year and a time; `Date.parse` alone accepts much else. */
function dateOf(text: string): number | null {
  const parsed = /\d{4}/.test(text) && /\d:\d/.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(parsed) ? null : parsed;
}

/** The longest accepted wait, 400 days; a longer one is a mistake of the server. */
const LONGEST_MS = 400 * 86_400_000;

const isNear = (moment: number, now: number): boolean => Math.abs(moment - now) <= LONGEST_MS;

/** Reads milliseconds or seconds since the epoch, or seconds from now; null if it is none of them. */
function momentOf(value: number, now: number): number | null {
  for (const moment of [value, value * 1_000]) if (value > 1e8 && isNear(moment, now)) return moment;
  const moment = now + value * 1_000;
  return isNear(moment, now) ? moment : null;
}

/** Parses a Retry-After header: seconds, a date, or a duration. */
function retryAfter(text: string | undefined, now: number): number | null {
  if (text === undefined) return null;
  const seconds = numberOf(text);
  if (seconds !== null) return momentOf(seconds, now);
  const duration = durationOf(text);
  return duration === null ? dateOf(text) : now + duration;
}

function milliseconds(text: string | undefined, now: number): number | null {
  const value = numberOf(text);
  return value === null ? null : now + value;
}

const RESETS = [
  ['anthropic-ratelimit-requests-reset', 'anthropic-ratelimit-requests-remaining'],
  ['anthropic-ratelimit-tokens-reset', 'anthropic-ratelimit-tokens-remaining'],
  ['anthropic-ratelimit-input-tokens-reset', 'anthropic-ratelimit-input-tokens-remaining'],
  ['anthropic-ratelimit-output-tokens-reset', 'anthropic-ratelimit-output-tokens-remaining'],
  ['anthropic-ratelimit-unified-reset', 'anthropic-ratelimit-unified-remaining'],
  ['x-ratelimit-reset-requests', 'x-ratelimit-remaining-requests'],
  ['x-ratelimit-reset-tokens', 'x-ratelimit-remaining-tokens'],
  ['x-ratelimit-reset', 'x-ratelimit-remaining'],
  ['ratelimit-reset', 'ratelimit-remaining'],
] as const;

/** Returns the latest reset of the limits that are used up. Limits with a remainder did not cause this failure. */
function resetHeaders(headers: Headers, now: number): number | null {
  let latest: number | null = null;
  for (const [reset, remaining] of RESETS) {
    if ((numberOf(headers[remaining]) ?? 0) > 0) continue;
    const at = retryAfter(headers[reset], now);
    if (at !== null && (latest === null || at > latest)) latest = at;
  }
  return latest;
}

const AGAIN_IN =
  /(?:try again|retry|available again|resets?) (?:in|after) (?:about |~)?((?:\d{1,9}(?:\.\d{1,9})?\s?[a-z]{1,12}(?:\s(?=\d))?){1,4})/i;
const AGAIN_ON =
  /(?:regain access|try again|available again|resets?) (?:on|at) (\d{4}-\d{2}-\d{2})(?:(?:T| at | )(\d{2}:\d{2}(?::\d{2})?))?/i;

/** Reads sentences such as "Please try again in 7m12s." and "You will regain access on 2026-12-01 at 00:00 UTC." */
function inWords(message: string, now: number): number | null {
  const [, date, time = '00:00'] = AGAIN_ON.exec(message) ?? [];
  if (date !== undefined) return dateOf(`${date}T${time}Z`);
  const [, wait] = AGAIN_IN.exec(message) ?? [];
  const duration = wait === undefined ? null : durationOf(wait);
  return duration === null ? null : now + duration;
}

/**
 * Returns when the provider allows the next request, from any of the ways in which providers state it; null if it does
 * not.
 */
export function retryAt(headers: Headers, body: ErrorBody, now: number): number | null {
  const at =
    milliseconds(headers['retry-after-ms'] ?? headers['x-ms-retry-after-ms'], now) ??
    retryAfter(headers['retry-after'], now) ??
    (body.retryDelay === null ? null : retryAfter(body.retryDelay, now)) ??
    resetHeaders(headers, now) ??
    inWords(body.message, now);
  return at === null || !isNear(at, now) ? null : Math.ceil(at);
}
