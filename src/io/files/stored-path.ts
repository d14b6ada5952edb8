import path from 'node:path';

/**
 * Returns a path as stored in `.flow`: relative to the project with `/` if inside, so that the project can be moved;
 * otherwise absolute. `path.resolve(root, stored)` reverses it.
 */
export function storedPath(root: string, place: string): string {
  const relative = path.relative(root, place);
  if (relative === '') return '.';
  const isOutside = relative === '..' || relative.startsWith(`..${path.sep}`) || path.isAbsolute(relative);
  return isOutside ? place : relative.split(path.sep).join('/');
}
