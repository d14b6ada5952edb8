import { readdir } from 'node:fs/promises';
import path from 'node:path';
import type { Git } from '../plumbing/git.ts';
import { readSettings } from './git-settings.ts';

/** The entries of a git folder that `git init` and commits make. */
const ENTRIES: ReadonlySet<string> = new Set([
  ...['HEAD', 'ORIG_HEAD', 'COMMIT_EDITMSG', 'config', 'description', 'hooks', 'info', 'branches'],
  ...['index', 'logs', 'objects', 'packed-refs', 'refs', 'reftable'],
]);

/** The settings that `git init` writes, and those of an author. None of them names a program, a file or an address. */
const SETTINGS: ReadonlySet<string> = new Set([
  ...['repositoryformatversion', 'filemode', 'bare', 'logallrefupdates'].map((name) => `core.${name}`),
  ...['symlinks', 'ignorecase', 'precomposeunicode'].map((name) => `core.${name}`),
  ...['extensions.objectformat', 'extensions.refstorage', 'user.name', 'user.email'],
]);

const namesIn = (folder: string): Promise<readonly string[]> => readdir(folder).catch(() => []);

/**
 * Returns whether a new git folder is as `git init` makes it. Any other one may name programs, which the next git
 * command would start: filters, hooks, and attributes that select them.
 */
export async function isAsInitMakes(git: Git, folder: string): Promise<boolean> {
  const inside = (name: string) => namesIn(path.join(folder, name));
  const [entries, hooks, info] = await Promise.all([namesIn(folder), inside('hooks'), inside('info')]);
  const hasUsual =
    entries.every((name) => ENTRIES.has(name)) &&
    hooks.every((name) => name.endsWith('.sample')) &&
    info.every((name) => name === 'exclude');
  if (!hasUsual) return false;
  const settings = await readSettings(git, path.join(folder, 'config'));
  return settings !== null && [...settings.keys()].every((name) => SETTINGS.has(name));
}
