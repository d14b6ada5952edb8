const MINUTE = 60_000;

const HOUR = 60 * MINUTE;

const DAY = 24 * HOUR;

/** Formats an age briefly: `42s`, `5m`, `3h`, `12d`. */
export function ageText(at: number, now: number): string {
  const ms = Math.max(0, now - at);
  if (ms < MINUTE) return `${Math.floor(ms / 1000)}s`;
  if (ms < HOUR) return `${Math.floor(ms / MINUTE)}m`;
  if (ms < 2 * DAY) return `${Math.floor(ms / HOUR)}h`;
  return `${Math.floor(ms / DAY)}d`;
}

const two = (value: number): string => String(value).padStart(2, '0');

/** Formats a duration briefly: `85ms`, `1.4s`, `2m 05s`, `3h 20m`, `12d 4h`. */
export function durationText(ms: number): string {
  if (ms < 100) return `${Math.round(ms)}ms`;
  if (ms < 59_950) return `${(ms / 1000).toFixed(1)}s`;
  const seconds = Math.round(ms / 1000);
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes}m ${two(seconds % 60)}s`;
  const hours = Math.floor(minutes / 60);
  return hours < 48 ? `${hours}h ${two(minutes % 60)}m` : `${Math.floor(hours / 24)}d ${hours % 24}h`;
}

/** Formats a local time as `2026-12-01 14:05`. */
export function whenText(at: number): string {
  const date = new Date(at);
  const two = (value: number): string => String(value).padStart(2, '0');
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())} ${two(date.getHours())}:${two(date.getMinutes())}`;
}

/** Describes when a recovery policy executes a block again. */
export function retryText(until: number): string {
  const now = Date.now();
  return until <= now ? 'is due to be executed again' : `is executed again in ${ageText(now, until)}`;
}
