import { createHash } from 'node:crypto';
import type { FileCalls } from '#protocol/file-calls.ts';

/** Where a project keeps its tasks. */
export interface TaskPlace {
  readonly calls: FileCalls;
  /** `.flow`, absolute. */
  readonly folder: string;
  /** Where a path below `.flow` leads, absolute; throws `unsafe_path` when that is outside of it: SafePath. */
  readonly locate: (path: string) => Promise<string>;
  /** Hexadecimal, of six bytes. */
  readonly newId: () => string;
}

export const ROOT_FILE = 'status.md';

export const hashOf = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

/** Bytes of one file. */
export const LARGEST = 16 * 1_048_576;
