import { lstat, readdir } from 'node:fs/promises';
import path from 'node:path';
import type { Git } from './git.ts';
import { lineOf, zeroSplit } from './quiet-git.ts';
import { type Refusal, whyFailed } from './refusal.ts';
import { worktreeEntry } from './worktree-entry.ts';

/**
 * Work that exists only in a submodule of a linked worktree. The submodule's repository is in the worktree's own git
 * folder and is removed together with it.
 */
export interface UnsavedSubmodule {
  /** The submodule's path from the top of the worktree, or its git folder if the submodule is no longer checked out. */
  readonly path: string;
  readonly isChanged: boolean;
  /**
   * The first commits of the submodule that no remote has, reachable from a branch, a tag, the stash or HEAD; null if
   * git failed.
   */
  readonly commits: readonly string[] | null;
  /** Ignored files in the submodule that are to be kept, from the top of the worktree; null if git failed. */
  readonly ignored: readonly string[] | null;
}

/** Lists the ignored files to keep in a submodule, given its folder and its path from the top of the worktree. */
export type IgnoredIn = (place: string, name: string) => Promise<readonly string[] | null>;

interface CheckedOut {
  readonly path: string;
  readonly place: string;
}

const NAMED = 20;

const isThere = async (file: string): Promise<boolean> => (await lstat(file).catch(() => null)) !== null;

/**
 * Returns the submodules that are checked out, including nested ones. They are read from the index, which also has
 * submodules that are missing in `.gitmodules`.
 */
async function checkedOut(git: Git, top: string, above: string): Promise<readonly CheckedOut[] | Refusal> {
  const listed = await git(path.join(top, above), ['ls-files', '-z', '--stage']);
  if (!listed.ok) return whyFailed(listed, "can't list the submodules");
  const found: CheckedOut[] = [];
  for (const link of zeroSplit(listed.out).filter((entry) => entry.startsWith('160000 '))) {
    const name = path.posix.join(above, link.slice(link.indexOf('\t') + 1));
    const place = path.join(top, name);
    if (!(await isThere(path.join(place, '.git')))) continue;
    const below = await checkedOut(git, top, name);
    if ('kind' in below) return below;
    found.push({ path: name, place }, ...below);
  }
  return found;
}

/** Returns the git folders of submodules, including those that are no longer checked out. */
async function keptIn(folder: string): Promise<readonly string[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  const isGit = ['HEAD', 'objects'].every((name) => entries.some((entry) => entry.name === name));
  const below = isGit ? ['modules'] : entries.filter((entry) => entry.isDirectory()).map(({ name }) => name);
  const found = await Promise.all(below.map((name) => keptIn(path.join(folder, name))));
  return [...(isGit ? [folder] : []), ...found.flat()];
}

async function ownCommits(git: Git, place: string, options: readonly string[]): Promise<readonly string[] | null> {
  const asked = [...options, 'rev-list', `--max-count=${NAMED}`, '--all', '--not', '--remotes', '--'];
  const answer = await git(place, asked);
  return answer.ok ? answer.out.split('\n').filter((line) => line !== '') : null;
}

async function look(git: Git, { path: name, place }: CheckedOut, ignoredIn: IgnoredIn): Promise<UnsavedSubmodule> {
  const asked = ['status', '--porcelain', '--untracked-files=all', '--ignore-submodules=none'];
  const status = await git(place, asked);
  const commits = await ownCommits(git, place, []);
  return { path: name, isChanged: !status.ok || status.out !== '', commits, ignored: await ignoredIn(place, name) };
}

const isUnsaved = ({ isChanged, commits, ignored }: UnsavedSubmodule): boolean =>
  isChanged || [commits, ignored].some((found) => found === null || found.length > 0);

/** Returns the git folders of submodules that are not checked out and have unsaved work. */
async function unsavedIn(git: Git, folders: readonly string[]): Promise<readonly UnsavedSubmodule[]> {
  const found: UnsavedSubmodule[] = [];
  for (const folder of folders) {
    // The git folder's `core.worktree` may name a folder that no longer exists, so `--work-tree` overrides it.
    const commits = await ownCommits(git, path.dirname(folder), [`--git-dir=${folder}`, `--work-tree=${folder}`]);
    found.push({ path: folder, isChanged: false, commits, ignored: [] });
  }
  return found.filter(isUnsaved);
}

/** Returns the submodules of a linked worktree whose work would be lost with the worktree. */
export async function unsavedSubmodules(
  git: Git,
  worktree: string,
  ignoredIn: IgnoredIn,
): Promise<readonly UnsavedSubmodule[] | Refusal> {
  const there = await checkedOut(git, worktree, '');
  if ('kind' in there) return there;
  const modules = await git(worktree, ['rev-parse', '--path-format=absolute', '--git-path', 'modules']);
  if (!modules.ok) return whyFailed(modules, "can't list the submodules");
  const kept = new Set(await keptIn(lineOf(modules)));
  const found: UnsavedSubmodule[] = [];
  for (const one of there) {
    found.push(await look(git, one, ignoredIn));
    kept.delete(lineOf(await git(one.place, ['rev-parse', '--absolute-git-dir'])));
  }
  return [...found.filter(isUnsaved), ...(await unsavedIn(git, [...kept]))];
}

/**
 * Returns the submodules with unsaved work of a worktree whose folder is gone. Git deletes their repositories once it
 * prunes the worktree.
 */
export async function submodulesLeftBy(git: Git, repository: string, worktree: string) {
  const entry = await worktreeEntry(git, repository, worktree);
  if (entry !== null && typeof entry !== 'string') return entry;
  return entry === null ? [] : unsavedIn(git, await keptIn(path.join(entry, 'modules')));
}
