import type { Worker } from '#protocol/worker.ts';
import { readDocument } from '../answer/read-document.ts';
import { writeAnswer } from './write-files.ts';

/** Writes the prose of the newest answer, without what is said before its first heading or rule (spec/workers.md). */
export const documentationWriter: Worker = {
  sideEffects: 'idempotent',
  execute: async ({ payload }, services) => writeAnswer(payload, services, readDocument),
};
