import { createHash } from 'node:crypto';

/** One thing that a project wants to do on this machine or send from it, as a person is asked about it. */
export interface Executable {
  /** Where it comes from: a command, a worker, a block, a file. */
  readonly what: string;
  /** The whole of it: what is not in here is not trusted. */
  readonly command: string;
  /** Of the content, where it is a file of the project. */
  readonly hash?: string;
}

/** What trust is remembered by: the project's place and everything that it may do. */
export const trustHash = (root: string, executables: readonly Executable[]): string =>
  createHash('sha256')
    .update(JSON.stringify([root, executables]))
    .digest('hex');
