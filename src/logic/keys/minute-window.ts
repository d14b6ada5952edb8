const MINUTE_MS = 60_000;

/** One request in the window; its tokens are estimated until the answer reports them. */
export interface WindowEntry {
  readonly at: number;
  tokens: number;
  gone: boolean;
  /** True for a request of another process, or of a previous one. */
  readonly isOthers?: true;
}

/** The requests that were sent with one key in the last minute. */
export interface MinuteWindow {
  readonly entries: WindowEntry[];
  /** The index of the first entry in the window. */
  head: number;
  tokens: number;
}

interface WindowLimits {
  readonly requests: number | null;
  readonly tokens: number | null;
}

export const emptyWindow = (): MinuteWindow => ({ entries: [], head: 0, tokens: 0 });

/**
 * Returns whether an entry has left the window. An entry in the future was recorded before the clock was set back, so
 * its age is unknown.
 */
const isOver = ({ at }: WindowEntry, now: number): boolean => at + MINUTE_MS <= now || at > now;

function prune(window: MinuteWindow, now: number): void {
  const { entries } = window;
  for (let entry = entries[window.head]; entry !== undefined && isOver(entry, now);) {
    entry.gone = true;
    window.tokens -= entry.tokens;
    window.head += 1;
    entry = entries[window.head];
  }
  if (window.head > 64 && window.head * 2 > entries.length) {
    entries.splice(0, window.head);
    window.head = 0;
  }
}

/**
 * Returns whether a request fits into the window. A request that exceeds the token limit by itself fits into an empty
 * window; otherwise it would wait forever.
 */
const fits = (requests: number, used: number, tokens: number, limits: WindowLimits): boolean =>
  (limits.requests === null || requests < limits.requests) &&
  (limits.tokens === null || requests === 0 || used + tokens <= limits.tokens);

export function hasRoom(window: MinuteWindow, limits: WindowLimits, tokens: number, now: number): boolean {
  if (limits.requests === null && limits.tokens === null) return true;
  prune(window, now);
  return fits(window.entries.length - window.head, window.tokens, tokens, limits);
}

/** Returns the time at which the request will fit, if no other request is added. */
export function roomAt(window: MinuteWindow, limits: WindowLimits, tokens: number, now: number): number {
  prune(window, now);
  const { entries } = window;
  let used = window.tokens;
  for (let index = window.head; index < entries.length; index += 1) {
    if (fits(entries.length - index, used, tokens, limits))
      return index === window.head ? now : (entries[index - 1]?.at ?? 0) + MINUTE_MS;
    used -= entries[index]?.tokens ?? 0;
  }
  const last = entries.at(-1);
  return last === undefined || last.gone ? now : last.at + MINUTE_MS;
}

export function addRequest(window: MinuteWindow, tokens: number, now: number): WindowEntry {
  prune(window, now);
  const entry: WindowEntry = { at: now, tokens, gone: false };
  window.entries.push(entry);
  window.tokens += tokens;
  return entry;
}

export function correctTokens(window: MinuteWindow, entry: WindowEntry, tokens: number): void {
  if (!entry.gone) window.tokens += tokens - entry.tokens;
  entry.tokens = tokens;
}

/** Replaces the known requests of other processes. */
export function setOthers(
  window: MinuteWindow,
  others: readonly { readonly at: number; readonly tokens: number }[],
  now: number,
): void {
  prune(window, now);
  const own = window.entries.slice(window.head).filter(({ isOthers }) => isOthers !== true);
  const theirs = others.map(({ at, tokens }): WindowEntry => ({ at, tokens, gone: false, isOthers: true }));
  const all = [...own, ...theirs].sort((one, other) => one.at - other.at);
  window.entries.splice(0, window.entries.length, ...all);
  window.head = 0;
  window.tokens = all.reduce((sum, { tokens }) => sum + tokens, 0);
}
