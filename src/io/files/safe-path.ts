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
      // The entry may have been removed meanwhile.
      if (await exists(at)) return refuse(input, 'a link in its path is broken');
    }
  }
}

/**
 * Converts an untrusted relative path to an absolute one without links. Throws `unsafe_path` unless the path lies
 * inside `root`, also after links are resolved. All untrusted paths must pass through this function. Open the result
 * with `openInside`, because a part of the path may be replaced by a link at any time.
 */
export async function safePath(root: string, input: string): Promise<string> {
  const parts = checkRelativePath(input);
  const realRoot = await realpath(root);
  const target = await withoutLinks(input, path.join(realRoot, ...parts));
  return isInside(realRoot, target) ? target : refuse(input, 'a link in its path leads out of the root folder');
}
