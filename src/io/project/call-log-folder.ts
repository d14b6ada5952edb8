import { existsSync } from 'node:fs';
import path from 'node:path';

/** The folder for logged calls of a project that has no `.vision`, relative to the project. */
export const CALLS_WITHOUT_VISION = '.flow/calls';

/**
 * Returns the folder with a project's logged calls: `.vision/logs`. A project that began with `robosmith do` has them in
 * `.flow/calls`, so that nothing is added to its checkout; they stay there.
 */
export function callLogFolder(root: string): string {
  const own = path.join(root, ...CALLS_WITHOUT_VISION.split('/'));
  return existsSync(own) ? own : path.join(root, '.vision', 'logs');
}
