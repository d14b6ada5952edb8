import { readFileSync } from 'node:fs';

/**
 * Returns whether a process exists. A zombie does not count: it has ended, and its parent has not read its exit code
 * yet, which in a container may never happen.
 */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return process.platform !== 'linux' || !/^State:\s+[XZ]/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return false;
  }
}
