import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import ignore, { type Ignore } from 'ignore';
import { commonGitFolder } from '../store/cache-place.ts';

const ALWAYS = new Set(['.git', '.hg', '.svn', 'node_modules']);

/** True if a folder or file of this name is never indexed. */
export const isNeverIndexed = (name: string): boolean => ALWAYS.has(name);

export interface IgnoreRules {
  /** True if the rules of the folders above exclude this path, relative to the root with `/`. */
  readonly excludes: (path: string, isFolder: boolean) => boolean;
}

function readRules(path: string): Ignore | null {
  if (!existsSync(path)) return null;
  try {
    return ignore().add(readFileSync(path, 'utf8'));
  } catch {
    return null;
  }
}

/** Reads `.gitignore` files on demand, each once. Make new rules when one of them has changed. */
export function createIgnoreRules(root: string): IgnoreRules {
  const byFolder = new Map<string, Ignore | null>();
  const common = commonGitFolder(root);
  const exclude = common === null ? null : readRules(join(common, 'info', 'exclude'));
  const rulesOf = (folder: string): Ignore | null => {
    const known = byFolder.get(folder);
    if (known !== undefined) return known;
    const read = readRules(join(root, folder, '.gitignore'));
    byFolder.set(folder, read);
    return read;
  };
  const verdict = (rules: Ignore | null, path: string): boolean | null => {
    const { ignored, unignored } = rules?.test(path) ?? { ignored: false, unignored: false };
    return ignored ? true : unignored ? false : null;
  };
  return {
    excludes: (path, isFolder) => {
      const parts = path.split('/');
      const suffix = isFolder ? '/' : '';
      for (let depth = parts.length - 1; depth >= 0; depth -= 1) {
        const found = verdict(rulesOf(parts.slice(0, depth).join('/')), parts.slice(depth).join('/') + suffix);
        if (found !== null) return found;
      }
      return verdict(exclude, path + suffix) ?? false;
    },
  };
}
