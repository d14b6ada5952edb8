import { readFileSync } from 'node:fs';

/** Is it there, and no zombie? On Linux. */
export const processRuns = (pid: number): boolean => {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    return !['Z', 'X'].includes(stat.slice(stat.lastIndexOf(')') + 2).charAt(0));
  } catch {
    return false;
  }
};

/** Bounded by the test's own time limit. */
export async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await holds())) await new Promise((resolve) => setImmediate(resolve));
}
