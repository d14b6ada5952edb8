import { readFileSync } from 'node:fs';

/** Returns whether a process exists and is not a zombie. Works on Linux only. */
export const processRuns = (pid: number): boolean => {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    return !['Z', 'X'].includes(stat.slice(stat.lastIndexOf(')') + 2).charAt(0));
  } catch {
    return false;
  }
};

/** Waits until a condition holds. Only the test's own timeout limits the wait. */
export async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await holds())) await new Promise((resolve) => setImmediate(resolve));
}
