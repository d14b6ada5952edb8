import path from 'node:path';
import { listIfThere } from '#io/files/durable-file.ts';
import type { FileCalls } from '#protocol/file-calls.ts';

/** The folder of the call log, and the file system functions to access it. */
export interface LogPlace {
  readonly calls: FileCalls;
  /** `.vision/logs` of the project. */
  readonly folder: string;
}

export const INDEX = 'index.jsonl';

/** Returns a file name that sorts by time and is valid on every system. */
export const nameOf = (call: string, at: number): string =>
  `${new Date(at).toISOString().replaceAll(/[:.]/g, '-')}-${call}.json`;

const NAME = /^\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d-\d{3}Z-([0-9a-z]+)\.json$/;

/** Returns the call id in the name of a log file, or null for other file names. */
export const callOf = (file: string): string | null => NAME.exec(file)?.[1] ?? null;

export const pathOf = ({ folder }: LogPlace, file: string): string => path.join(folder, file);

/** Returns the files of calls, oldest first. */
export const callFiles = ({ calls, folder }: LogPlace): readonly string[] =>
  listIfThere(calls, folder).filter((file) => callOf(file) !== null);
