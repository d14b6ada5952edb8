/** A timer may not be set for longer. */
const LONGEST_MS = 3_600_000;

/** A busy host looks no more often whether its project is still there. */
const LEAST_LOOK_MS = 60_000;

export interface IdleParts {
  /** Nothing runs or waits, and no client is connected. */
  readonly isIdle: () => boolean;
  readonly afterMs: number;
  /** The project is no longer there: nothing in it can go on. */
  readonly isGone: () => boolean;
  readonly onIdle: () => void;
  /** When something is to be done again; null: nothing is. */
  readonly due: () => number | null;
  readonly onDue: (now: number) => void;
  readonly now: () => number;
}

/** One timer for the end of an idle host, for runs that go on by themselves, and for a look whether the project is still there. `look` is called after each change. */
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
