/** The minimum pause in milliseconds between two refreshes, so that one refresh covers several changes. */
const SOONEST_MS = 250;
/**
 * The maximum pause in milliseconds. Polling is needed because changes that a person makes in a worktree cause no
 * event.
 */
const LATEST_MS = 5_000;
/**
 * The minimum ratio of the pause after a refresh to the refresh's duration, unless an event requests an earlier one.
 */
const SHARE = 20;

export interface AdaptivePollParts {
  /** Refreshes the data. Never rejects. */
  readonly refresh: () => Promise<void>;
  /** Calls `work` after `ms` milliseconds. Returns a function that cancels it. */
  readonly after: (ms: number, work: () => void) => () => void;
  /** Monotonic time in milliseconds. */
  readonly now: () => number;
}

interface AdaptivePoll {
  /** Requests a refresh; others follow periodically until `end`. */
  ask(): void;
  /** Stops: no further refresh starts. */
  end(): void;
}

/** Creates an adaptive poll: refreshes run one at a time, and the pause after each grows with its duration. */
export function createAdaptivePoll({ refresh, after, now }: AdaptivePollParts): AdaptivePoll {
  let isOn = false;
  let isAsked = false;
  let isLooking = false;
  let soonest = 0;
  let latest = 0;
  let unset = (): void => undefined;

  const plan = (): void => {
    unset();
    if (isOn && !isLooking) unset = after(Math.max(0, (isAsked ? soonest : latest) - now()), () => void once());
  };
  const once = async (): Promise<void> => {
    isAsked = false;
    isLooking = true;
    const began = now();
    await refresh();
    const ended = now();
    isLooking = false;
    soonest = ended + Math.max(SOONEST_MS, ended - began);
    latest = ended + Math.max(LATEST_MS, SHARE * (ended - began));
    plan();
  };
  return {
    ask: () => {
      isOn = true;
      isAsked = true;
      plan();
    },
    end: () => {
      isOn = false;
      unset();
    },
  };
}
