import { findRoot } from '#engine/authoring.ts';
import type { CliIo } from '../cli-io.ts';
import { shownPath } from '../manifest/manifest-file.ts';
import { fail, ok, warn, type Check } from './check.ts';

export interface CheckedRoot {
  readonly check: Check;
  /** Null when there is none. */
  readonly folder: string | null;
}

export async function checkRoot(io: CliIo): Promise<CheckedRoot> {
  const found = await findRoot(io.cwd);
  if (!('reason' in found))
    return { check: ok('root', `project in ${shownPath(found.root, io)} (.flow/ is there)`), folder: found.root };
  const missing = found.reason === 'root_not_found';
  const check = missing
    ? warn(
        'root',
        'no .flow/ here or above: nothing can be run yet',
        'Type `robosmith init` in the folder of your project.',
      )
    : fail('root', found.message, 'Move that away, then type `robosmith init`.');
  return { check, folder: null };
}
