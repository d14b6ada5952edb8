import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import ignore, { type Ignore } from 'ignore';
import { isKeptBack } from '#protocol/outbound.ts';
import { commonGitFolder } from '../store/cache-place.ts';

const ALWAYS = new Set(['.git', '.hg', '.svn', 'node_modules']);

/**
 * Returns true for names of folders and files that are never indexed: `.git`, `node_modules`, and those that are kept out
 * of prompts, such as `.env.ts`.
 */
export const isNeverIndexed = (name: string): boolean => ALWAYS.has(name) || isKeptBack(name);

/** Returns true for paths of which a part is never indexed. */
export const isNeverIndexedPath = (path: string): boolean => path.split('/').some(isNeverIndexed);

export interface IgnoreRules {
  /** Returns true if the ignore rules exclude a path. The path is relative to the root and uses `/`. */
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

/**
 * Creates ignore rules that read each `.gitignore` on first use and cache it. After a `.gitignore` changes, create new
 * rules.
 */
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
