/** The maximum delay of the timer in milliseconds. */
const LONGEST_MS = 3_600_000;

/** The minimum time between two checks that the project still exists. */
const LEAST_LOOK_MS = 60_000;

interface IdleParts {
  /** Returns whether nothing runs or waits, and no client is connected. */
  readonly isIdle: () => boolean;
  readonly afterMs: number;
  /** Returns whether the project no longer exists. */
  readonly isGone: () => boolean;
  readonly onIdle: () => void;
  /** When the next run is due, in milliseconds since the epoch; null if none is. */
  readonly due: () => number | null;
  readonly onDue: (now: number) => void;
  readonly now: () => number;
}

/**
 * Watches with one timer whether the host is idle, whether runs are due, and whether the project still exists. `look`
 * must be called after each change of these.
 */
export function idleWatch({ isIdle, afterMs, isGone, onIdle, due, onDue, now }: IdleParts): {
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
    if (isGone()) onIdle();
    const next = due();
    if (next !== null && next <= now()) onDue(now());
    else if (idleSince !== null && now() - idleSince >= afterMs) return onIdle();
    look();
  };
  const look = (): void => {
    if (stopped) return;
    idleSince = isIdle() ? (idleSince ?? now()) : null;
    const next = due();
    const idleAt = idleSince === null ? now() + Math.max(afterMs, LEAST_LOOK_MS) : idleSince + afterMs;
    set(Math.min(next ?? idleAt, idleAt) - now());
  };
  return {
    look,
    stop: () => {
      stopped = true;
      if (timer !== null) clearTimeout(timer);
    },
  };
}
