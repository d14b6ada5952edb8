/** A deadline for one file: parsing and queries abort when it has passed. */
export interface TimeBudget {
  readonly isSpent: () => boolean;
}

/** Longest that one file may take, in processor time. Hostile nesting makes queries quadratic. */
const FILE_BUDGET_MS = 1_500;
/** Where the time of one thread cannot be read, wall time counts: on a busy machine more of it passes. */
const WALL_FACTOR = 4;

/** Processor time of this thread: the load of the machine must not decide what is indexed. */
function threadClock(): () => number {
  if (typeof process.threadCpuUsage !== 'function') return () => performance.now() / WALL_FACTOR;
  return () => {
    const { user, system } = process.threadCpuUsage();
    return (user + system) / 1_000;
  };
}

const clock = threadClock();
/** The parser asks every hundred operations; the clock costs more than those. */
const CALLS_A_CHECK = 16;

export function startBudget(milliseconds: number = FILE_BUDGET_MS): TimeBudget {
  const end = clock() + milliseconds;
  let spent = false;
  let calls = 0;
  return {
    isSpent: () => {
      calls += 1;
      if (calls % CALLS_A_CHECK === 0) spent ||= clock() > end;
      return spent;
    },
  };
}
