/** A timer may not be set for longer. */
const LONGEST_MS = 3_600_000;

export interface IdleParts {
  /** Nothing runs or waits, and no client is connected. */
  readonly isIdle: () => boolean;
  readonly afterMs: number;
  readonly onIdle: () => void;
  /** When something is to be done again; null: nothing is. */
  readonly due: () => number | null;
  readonly onDue: (now: number) => void;
  readonly now: () => number;
}

/** One timer for both: when it has been idle for long enough, and when a run goes on by itself. `look` after each change. */
export function idleWatch({ isIdle, afterMs, onIdle, due, onDue, now }: IdleParts): {
  readonly look: () => void;
  readonly stop: () => void;
} {
  let timer: NodeJS.Timeout | null = null;
  let idleSince: number | null = null;
  let stopped = false;

  const set = (ms: number): void => {
    if (timer !== null) clearTimeout(timer);
    timer = setTimeout(ring, Math.max(0, Math.min(ms, LONGEST_MS)));
  };
  const ring = (): void => {
    timer = null;
    const next = due();
    if (next !== null && next <= now()) onDue(now());
    else if (idleSince !== null && now() - idleSince >= afterMs) return onIdle();
    look();
  };
  const look = (): void => {
    if (stopped) return;
    idleSince = isIdle() ? (idleSince ?? now()) : null;
    const next = due();
    const times = [...(next === null ? [] : [next]), ...(idleSince === null ? [] : [idleSince + afterMs])];
    if (times.length > 0) set(Math.min(...times) - now());
    else if (timer !== null) {
      clearTimeout(timer);
      timer = null;
    }
  };
  return {
    look,
    stop: () => {
      stopped = true;
      if (timer !== null) clearTimeout(timer);
    },
  };
}
