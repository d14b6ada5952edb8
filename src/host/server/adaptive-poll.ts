/** Of many changes at once, one look tells. */
const SOONEST_MS = 250;
/** What a person does by hand in a worktree tells nobody. */
const LATEST_MS = 5_000;
/** A look without a reason takes a part of the time no larger than this. */
const SHARE = 20;

export interface PacedLooksParts {
  /** Never rejects. */
  readonly look: () => Promise<void>;
  /** Calls later; gives what takes it back. */
  readonly after: (ms: number, work: () => void) => () => void;
  /** Milliseconds that only grow. */
  readonly now: () => number;
}

export interface PacedLooks {
  /** A look begins after this, and others from time to time until the end. */
  ask(): void;
  /** No other one begins. */
  end(): void;
}

/** Looks one after the other, each as long after the one before as that has taken: where they are slow, they are rare. */
export function pacedLooks({ look, after, now }: PacedLooksParts): PacedLooks {
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
    await look();
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
