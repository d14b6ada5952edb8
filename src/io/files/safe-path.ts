import { lstat, realpath } from 'node:fs/promises';
import path from 'node:path';
import { checkRelativePath, refuse } from './path-rules.ts';

/** Both absolute and without links. */
export const isInside = (root: string, target: string): boolean =>
  target === root || target.startsWith(root.endsWith(path.sep) ? root : root + path.sep);

const exists = (target: string): Promise<boolean> =>
  lstat(target).then(
    () => true,
    () => false,
  );

/** Links in the part that is there are resolved; a dangling link counts as there and is refused. */
async function withoutLinks(input: string, target: string): Promise<string> {
  for (let at = target; ; at = path.dirname(at)) {
    if (!(await exists(at))) continue;
    try {
      return path.join(await realpath(at), path.relative(at, target));
    } catch {
      // It may have been removed since.
      if (await exists(at)) return refuse(input, 'a link on the way leads nowhere');
    }
  }
}

/**
 * The only way from a string to a path: inside `root`, also after links. The result is absolute and has no links.
 * To open it, use `openInside`: a link may be put in the way at any time.
 */
export async function safePath(root: string, input: string): Promise<string> {
  const parts = checkRelativePath(input);
  const realRoot = await realpath(root);
  const target = await withoutLinks(input, path.join(realRoot, ...parts));
  return isInside(realRoot, target) ? target : refuse(input, 'a link on the way leaves the root');
}
