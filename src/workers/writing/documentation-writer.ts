import type { Worker } from '#protocol/worker.ts';
import { readDocument } from '../answer/read-document.ts';
import { writeAnswer } from './write-files.ts';

/**
 * The worker `Internal:DocumentationWriter`. It writes the document in the newest answer, without the remarks before
 * its first heading or rule.
 */
export const documentationWriter: Worker = {
  sideEffects: 'idempotent',
  execute: async ({ payload }, services) => writeAnswer(payload, services, readDocument),
};
