import { createHash } from 'node:crypto';
import type { FileCalls } from '#protocol/file-calls.ts';
import { statIfThere } from '#io/files/durable-file.ts';

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

/** Returns an unused name for a task's own file: `sub_flows/task_1.2.md`, or with `_2`, `_3` … appended. */
export async function freeSubFile({ calls, locate }: TaskPlace, id: string): Promise<string> {
  for (let number = 1; ; number += 1) {
    const file = `sub_flows/task_${id}${number === 1 ? '' : `_${number}`}.md`;
    if (statIfThere(calls, await locate(file)) === null) return file;
  }
}
