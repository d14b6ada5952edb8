import { lstat, realpath } from 'node:fs/promises';
import path from 'node:path';
import { checkRelativePath, refuse } from './path-rules.ts';

/** Returns whether `target` is `root` or lies below it. Both must be absolute and free of links. */
export const isInside = (root: string, target: string): boolean =>
  target === root || target.startsWith(root.endsWith(path.sep) ? root : root + path.sep);

const exists = (target: string): Promise<boolean> =>
  lstat(target).then(
    () => true,
    () => false,
  );

/** Resolves the links in the existing part of a path. A dangling link counts as existing and is rejected. */
async function withoutLinks(input: string, target: string): Promise<string> {
  for (let at = target; ; at = path.dirname(at)) {
    if (!(await exists(at))) continue;
    try {
      return path.join(await realpath(at), path.relative(at, target));
    } catch {
      // The entry may have been removed since.
      if (await exists(at)) return refuse(input, 'a link in its path is broken');
    }
  }
}

/**
 * Turns a relative path from the outside into an absolute one without links, and throws `unsafe_path` unless it lies
 * inside `root`, also after links are resolved. All such paths must pass through here. Open the result with
 * `openInside`, because a link may be put in its way at any time.
 */
export async function safePath(root: string, input: string): Promise<string> {
  const parts = checkRelativePath(input);
  const realRoot = await realpath(root);
  const target = await withoutLinks(input, path.join(realRoot, ...parts));
  return isInside(realRoot, target) ? target : refuse(input, 'a link in its path leads out of the root folder');
}
