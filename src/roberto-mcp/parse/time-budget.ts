/** The time limit for parsing one file. Parsing and queries stop when it is exceeded. */
export interface TimeBudget {
  readonly isSpent: () => boolean;
}

/** Time limit per file in milliseconds of CPU time. Hostile nesting makes tree-sitter queries quadratic. */
const FILE_BUDGET_MS = 1_500;
/**
 * Factor on the limit where a thread's CPU time can't be read and wall-clock time is used, because a busy machine needs
 * more of it.
 */
const WALL_FACTOR = 4;

/**
 * Returns a clock of this thread's CPU time in milliseconds, so that the machine's load does not decide what is
 * indexed.
 */
function threadClock(): () => number {
  if (typeof process.threadCpuUsage !== 'function') return () => performance.now() / WALL_FACTOR;
  return () => {
    const { user, system } = process.threadCpuUsage();
    return (user + system) / 1_000;
  };
}

const clock = threadClock();
/**
 * The clock is read on every 16th call only: the parser asks after every hundred operations, which cost less than the
 * clock.
 */
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
