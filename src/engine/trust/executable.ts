import { createHash } from 'node:crypto';

/** One action that a project may perform on this machine, or data that it may send. A person is asked to permit it. */
export interface Executable {
  /** Its source: a command, a worker, a block, or a file. */
  readonly what: string;
  /** The complete command: anything not in it is not trusted. */
  readonly command: string;
  /** A hash of its content, for a file of the project. */
  readonly hash?: string;
}

/** Returns the key of a trust decision: a hash of the project's path and of everything that it may do. */
export const trustHash = (root: string, executables: readonly Executable[]): string =>
  createHash('sha256')
    .update(JSON.stringify([root, executables]))
    .digest('hex');
