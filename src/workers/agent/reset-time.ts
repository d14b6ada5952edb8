const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** Maximum duration of a usage limit in milliseconds. A later reset time is considered misread and ignored. */
const LONGEST = 32 * DAY;

const UNITS: Readonly<Record<string, number>> = { d: DAY, h: HOUR, m: MINUTE, s: 1_000 };

/**
 * Reads a duration such as "in 2 hours 13 minutes" or "after 18h24m5s". Returns an instant in milliseconds since the
 * epoch, or null.
 */
function inAWhile(text: string, now: number): number | null {
  const [, span] =
    /\b(?:in|after)\s+((?:\d+\s*(?:days?|hours?|minutes?|seconds?|[dhms]\b|[hms](?=\d))[\s,]*(?:and\s+)?)+)/i.exec(
      text,
    ) ?? [];
  if (span === undefined) return null;
  const parts = [...span.matchAll(/(\d+)\s*([dhms])/gi)];
  return now + parts.reduce((sum, [, count, unit = '']) => sum + Number(count) * (UNITS[unit.toLowerCase()] ?? 0), 0);
}

/**
 * Returns the local time in a time zone at an instant, encoded as if it were UTC milliseconds, or null if the zone does
 * not exist. Without a zone, uses the system's time zone.
 */
function wallOf(instant: number, zone: string | undefined): number | null {
  try {
    const format = new Intl.DateTimeFormat('en-US', {
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
      hourCycle: 'h23',
      ...(zone === undefined ? {} : { timeZone: zone }),
    });
    const part = (name: string): number =>
      Number(format.formatToParts(instant).find(({ type }) => type === name)?.value ?? Number.NaN);
    return Date.UTC(part('year'), part('month') - 1, part('day'), part('hour'), part('minute'));
  } catch {
    return null;
  }
}

const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];

const CLOCK =
  /\b(?:resets?|reset|try again|regain access|available)\s*(?:at|on)?\s*(?:([A-Z][a-z]{2})[a-z]*\s+(\d{1,2})(?:st|nd|rd|th)?(?:,?\s*(\d{4}))?,?\s*(?:at\s+)?)?(?:at\s+)?(\d{1,2})(?::(\d{2}))?\s*([ap]m)?\s*(?:\(([A-Za-z_]+(?:\/[A-Za-z_+-]+)*)\))?/i;

/**
 * Reads a time of day or date such as "resets 3pm (Europe/Berlin)" or "try again at Mar 10th, 2026 3:39 AM". Returns an
 * instant in milliseconds since the epoch, or null.
 */
function atAClock(text: string, now: number): number | null {
  const [whole, month, day, year, hours = '', minutes = '0', half, zone] = CLOCK.exec(text) ?? [];
  if (whole === undefined) return null;
  const wall = wallOf(now, zone);
  if (wall === null) return null;
  const hour = half === undefined ? Number(hours) : (Number(hours) % 12) + (half.toLowerCase() === 'pm' ? 12 : 0);
  if (hour > 23 || Number(minutes) > 59) return null;
  const today = new Date(wall);
  const ofDay = hour * HOUR + Number(minutes) * MINUTE;
  const midnight = Date.UTC(today.getUTCFullYear(), today.getUTCMonth(), today.getUTCDate());
  const at = month === undefined ? -1 : MONTHS.indexOf(month.toLowerCase());
  if (at < 0) return now + ((midnight + ofDay - wall + DAY) % DAY);
  const then = Date.UTC(Number(year ?? today.getUTCFullYear()), at, Number(day)) + ofDay;
  return now + (then - wall);
}

/**
 * Returns when a usage limit ends according to an agent's message, in milliseconds since the epoch. Returns null if the
 * message gives no time, or an implausible one.
 */
export function resetTime(text: string, now: number): number | null {
  const [, seconds] = /\|(\d{10})\b/.exec(text) ?? [];
  const found = seconds === undefined ? (inAWhile(text, now) ?? atAClock(text, now)) : Number(seconds) * 1_000;
  return found === null || !Number.isFinite(found) || found < now || found > now + LONGEST ? null : Math.ceil(found);
}
