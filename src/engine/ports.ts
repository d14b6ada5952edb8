import path from 'node:path';
import { wallClock } from '#io/clock.ts';
import { createFiles } from '#io/files.ts';
import { newId, random } from '#io/identity.ts';
import { processes } from '#io/process.ts';
import type { RunPorts } from '#protocol/run.ts';

/** The real world, below one directory (absolute). */
export const realPorts = (directory: string): RunPorts => ({
  clock: wallClock,
  random,
  newId,
  files: createFiles(path.resolve(directory)),
  processes,
});
