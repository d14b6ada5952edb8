/** The time limit for parsing one file. Parsing and queries stop when it is exceeded. */
export interface TimeBudget {
  readonly isSpent: () => boolean;
}

/**
 * Time limit per file in milliseconds of CPU time. It is needed because maliciously nested code makes tree-sitter
 * queries quadratic.
 */
const FILE_BUDGET_MS = 1_500;
/**
 * Factor by which the time limit is multiplied if a thread's CPU time can't be read. In that case wall-clock time is
 * used, which also includes the work of other threads and programs.
 */
const WALL_FACTOR = 4;

/**
 * Returns a clock of this thread's CPU time in milliseconds. With CPU time, the load of the machine does not affect
 * which files are indexed.
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
 * Number of `isSpent` calls per reading of the clock. The parser calls it every hundred operations, which take less
 * time than reading the clock.
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
