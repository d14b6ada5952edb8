import { accessSync, constants } from 'node:fs';
import { tmpdir } from 'node:os';

/**
 * Returns a folder in an in-memory file system if there is one, otherwise the temporary folder. Written files survive a
 * killed process in both.
 */
export function quickFolder(): string {
  try {
    accessSync('/dev/shm', constants.W_OK);
    return '/dev/shm';
  } catch {
    return tmpdir();
  }
}
