import { statSync } from 'node:fs';
import path from 'node:path';
import type { CliIo } from './cli-io.ts';
import { usageError } from './usage-error.ts';

/** Returns the process environment with the directory given by `-C` as the current directory. */
export function inDirectory(io: CliIo, given: () => string | undefined): CliIo {
  const directory = (name: string): string => {
    const found = path.resolve(io.cwd, name);
    if (statSync(found, { throwIfNoEntry: false })?.isDirectory() === true) return found;
    throw usageError(`${name} is not a directory.`, ['robosmith --help']);
  };
  return Object.create(io, {
    cwd: {
      get: () => {
        const name = given();
        return name === undefined ? io.cwd : directory(name);
      },
    },
    place: { get: given },
  }) as CliIo;
}
