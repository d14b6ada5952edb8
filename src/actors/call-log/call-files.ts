import path from 'node:path';
import { listIfThere } from '#io/files/durable-file.ts';
import type { FileCalls } from '#protocol/file-calls.ts';

/** Where the log is, and the calls that reach it. */
export interface LogPlace {
  readonly calls: FileCalls;
  /** `.vision/logs` of the project. */
  readonly folder: string;
}

export const INDEX = 'index.jsonl';

/** Sorts by time, and is a file name everywhere. */
export const nameOf = (call: string, at: number): string =>
  `${new Date(at).toISOString().replaceAll(/[:.]/g, '-')}-${call}.json`;

const NAME = /^\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d-\d{3}Z-([0-9a-z]+)\.json$/;

/** The call that a file is of; null: it is none of ours. */
export const callOf = (file: string): string | null => NAME.exec(file)?.[1] ?? null;

export const pathOf = ({ folder }: LogPlace, file: string): string => path.join(folder, file);

/** Files of calls, the oldest first. */
export const callFiles = ({ calls, folder }: LogPlace): readonly string[] =>
  listIfThere(calls, folder).filter((file) => callOf(file) !== null);
