/** How often in milliseconds to check that this process still owns the project's engine. */
const OWNER_LOOK_MS = 10_000;

interface IdleParts {
  /** Returns whether nothing runs or waits, and no client is connected. */
  readonly isIdle: () => boolean;
  readonly afterMs: number;
  readonly onIdle: () => void;
  /** Returns whether the project was moved or removed, or another process owns its engine. */
  readonly isLost: () => boolean;
  readonly onLost: () => void;
  /** When the next run is due, in milliseconds since the epoch; null if none is. */
  readonly due: () => number | null;
  readonly onDue: (now: number) => void;
  readonly now: () => number;
}

/**
 * Watches with one timer whether the host is idle, whether runs are due, and whether it still owns the engine. `look`
 * must be called after each change of these.
 */
export function idleWatch({ isIdle, afterMs, onIdle, isLost, onLost, due, onDue, now }: IdleParts): {
  readonly look: () => void;
  readonly stop: () => void;
} {
  let timer: NodeJS.Timeout | null = null;
  let idleSince: number | null = null;
  let stopped = false;

  const set = (ms: number): void => {
    if (timer !== null) clearTimeout(timer);
    timer = setTimeout(ring, Math.max(0, ms));
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
    if (isLost()) return onLost();
    idleSince = isIdle() ? (idleSince ?? now()) : null;
    const next = due();
    const idleAt = idleSince === null ? Infinity : idleSince + afterMs;
    set(Math.min(next ?? Infinity, idleAt, now() + OWNER_LOOK_MS) - now());
  };
  return {
    look,
    stop: () => {
      stopped = true;
      if (timer !== null) clearTimeout(timer);
    },
  };
}
