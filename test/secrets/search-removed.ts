import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import os from 'node:os';
import path from 'node:path';
import { inject } from 'vitest';
import { createKeySearch, describeLeaks } from './find-keys.ts';

/* Runs in every test process: searches temporary folders for test keys before they are removed. */

const search = createKeySearch(inject('testKeys'));
const temporary = [os.tmpdir(), fs.realpathSync(os.tmpdir())].map((folder) => path.join(folder, 'robosmith-'));

function refuse(place: fs.PathLike): void {
  const file = String(place);
  if (!temporary.some((start) => file.startsWith(start))) return;
  const leaks = search.below(file);
  if (leaks.length > 0) throw new Error(`a key leaked\n${describeLeaks(leaks)}`);
}

/** Marks the replaced function, because test files that share a process must replace it only once. */
const SEARCHED = Symbol.for('robosmith.search-removed');

if (!(SEARCHED in fs.rmSync)) {
  const { rmSync } = fs;
  const { rm } = fs.promises;
  fs.rmSync = Object.assign(
    (place: fs.PathLike, options?: fs.RmOptions) => {
      refuse(place);
      rmSync(place, options);
    },
    { [SEARCHED]: true },
  );
  fs.promises.rm = async (place, options) => {
    refuse(place);
    await rm(place, options);
  };
  syncBuiltinESMExports();
}
