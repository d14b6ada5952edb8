import type { Worker } from '#protocol/worker.ts';
import { readFiles } from '../answer/read-files.ts';
import { writeAnswer } from './write-files.ts';

/**
 * The worker `Internal:FileSystemWriter`. It writes the files of the newest CODE_OUTPUT or DOCUMENTATION_OUTPUT
 * segment: all or none.
 */
export const fileSystemWriter: Worker = {
  sideEffects: 'idempotent',
  execute: async ({ payload }, services) => writeAnswer(payload, services, readFiles),
};
