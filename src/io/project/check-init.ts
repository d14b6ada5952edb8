import { lstat } from 'node:fs/promises';
import path from 'node:path';
import { RoboSmithError } from '#protocol/error.ts';
import { safePath } from '../files/safe-path.ts';

const isThere = (file: string): Promise<boolean> =>
  lstat(file).then(
    () => true,
    () => false,
  );

/** Throws `unsafe_path` if a file that `init` would write, or a folder above it, is a link out of the project. */
export async function checkMayInit(root: string, name: string): Promise<void> {
  for (const part of [name.split('/')[0] ?? name, name]) {
    if (!(await isThere(path.join(root, part)))) continue;
    try {
      await safePath(root, part);
    } catch (thrown) {
      if (!RoboSmithError.is(thrown, 'unsafe_path')) throw thrown;
      throw new RoboSmithError(
        'unsafe_path',
        `${part} is a link that leads out of the project or is broken; nothing was written. Remove the link, then try again.`,
        { path: part, next: ['robosmith init'] },
      );
    }
  }
}
