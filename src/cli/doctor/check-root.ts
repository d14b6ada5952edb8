import { access, constants } from 'node:fs/promises';
import path from 'node:path';
import { findRoot } from '#engine/authoring.ts';
import type { CliIo } from '../terminal/cli-io.ts';
import { shownPath } from '../names/shown-path.ts';
import { fail, ok, warn } from './check.ts';
import type { Check } from '../print/json-documents.ts';

interface CheckedRoot {
  readonly check: Check;
  /** The project's folder; null if there is none. */
  readonly folder: string | null;
}

export async function checkRoot(io: CliIo): Promise<CheckedRoot> {
  const found = await findRoot(io.cwd);
  if (!('reason' in found)) return { check: await rightsIn(found.root, io), folder: found.root };
  const missing = found.reason === 'root_not_found';
  const check = missing
    ? warn(
        'root',
        'no .flow/ here or in a parent folder: nothing can be run yet',
        'Type `robosmith init` in the folder of your project.',
        'init',
      )
    : fail('root', found.message, 'Move it away, then type `robosmith init`.');
  return { check, folder: null };
}

/** Checks that .flow/, which stores all runs, is writable. */
async function rightsIn(root: string, io: CliIo): Promise<Check> {
  const place = shownPath(root, io);
  return access(path.join(root, '.flow'), constants.W_OK).then(
    () => ok('root', `project in ${place} (.flow/ is there)`),
    () =>
      fail(
        'root',
        `project in ${place}: its .flow/ folder, which stores runs, is not writable`,
        'Make it writable, or work in a copy of the project that you own.',
      ),
  );
}
