import { createHash } from 'node:crypto';
import type { FileCalls } from '#protocol/file-calls.ts';

/** The folder of a project's tasks, and the file system functions to access it. */
export interface TaskPlace {
  readonly calls: FileCalls;
  /** The absolute path of `.flow`. */
  readonly folder: string;
  /** Resolves a path below `.flow`. Throws `unsafe_path` if it leads out of the folder. */
  readonly locate: (path: string) => Promise<string>;
  /** Returns six random bytes as hexadecimal. */
  readonly newId: () => string;
}

export const ROOT_FILE = 'status.md';

export const hashOf = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

/** The maximum size of a file, in bytes. */
export const LARGEST = 16 * 1_048_576;
