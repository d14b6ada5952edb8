import { createHash } from 'node:crypto';
import type { ApprovalLine } from '../registry/module-entry.ts';

/** One action that a project may perform on this machine, or data that it may send. A person is asked to permit it. */
export type Executable = ApprovalLine;

/** Returns the key of a trust decision: a hash of the project's path and of everything that it may do. */
export const trustHash = (root: string, executables: readonly Executable[]): string =>
  createHash('sha256')
    .update(JSON.stringify([root, executables]))
    .digest('hex');
