import { lstat, readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import type { Git } from './git.ts';
import { lineOf, zeroSplit } from './quiet-git.ts';
import { type Refusal, whyFailed } from './refusal.ts';

/** What only a submodule of a linked worktree has: its repository lies in the worktree's own git folder, and goes with it. */
export interface UnsavedSubmodule {
  /** From the top of the worktree; where none is checked out any more, the folder that git keeps it in. */
  readonly path: string;
  readonly isChanged: boolean;
  /** The first of those that no remote has, whatever leads to them: branch, tag, stash or HEAD; null: git did not say. */
  readonly commits: readonly string[] | null;
  /** Files that git ignores there and that somebody wants to keep, from the top of the worktree; null: git did not say. */
  readonly ignored: readonly string[] | null;
}

/** Of a submodule: where it is, and its path from the top of the worktree. */
export type IgnoredIn = (place: string, name: string) => Promise<readonly string[] | null>;

interface CheckedOut {
  readonly path: string;
  readonly place: string;
}

const NAMED = 20;

const isThere = async (file: string): Promise<boolean> => (await lstat(file).catch(() => null)) !== null;

/** Submodules with a checkout, and theirs; the index names them also where `.gitmodules` does not. */
async function checkedOut(git: Git, top: string, above: string): Promise<readonly CheckedOut[] | Refusal> {
  const listed = await git(path.join(top, above), ['ls-files', '-z', '--stage']);
  if (!listed.ok) return whyFailed(listed, 'the submodules were not found');
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

/** Git folders of submodules, also of those that were checked out once. */
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

/** Of git folders, without a checkout. */
async function unsavedIn(git: Git, folders: readonly string[]): Promise<readonly UnsavedSubmodule[]> {
  const found: UnsavedSubmodule[] = [];
  for (const folder of folders) {
    // Its settings name a working tree that may be gone.
    const commits = await ownCommits(git, path.dirname(folder), [`--git-dir=${folder}`, `--work-tree=${folder}`]);
    found.push({ path: folder, isChanged: false, commits, ignored: [] });
  }
  return found.filter(isUnsaved);
}

/** Submodules of a linked worktree with something that its removal would lose. */
export async function unsavedSubmodules(
  git: Git,
  worktree: string,
  ignoredIn: IgnoredIn,
): Promise<readonly UnsavedSubmodule[] | Refusal> {
  const there = await checkedOut(git, worktree, '');
  if ('kind' in there) return there;
  const modules = await git(worktree, ['rev-parse', '--path-format=absolute', '--git-path', 'modules']);
  if (!modules.ok) return whyFailed(modules, 'the submodules were not found');
  const kept = new Set(await keptIn(lineOf(modules)));
  const found: UnsavedSubmodule[] = [];
  for (const one of there) {
    found.push(await look(git, one, ignoredIn));
    kept.delete(lineOf(await git(one.place, ['rev-parse', '--absolute-git-dir'])));
  }
  return [...found.filter(isUnsaved), ...(await unsavedIn(git, [...kept]))];
}

/** The same, of one whose folder is gone: git forgets their repositories with it. */
export async function submodulesLeftBy(git: Git, repository: string, worktree: string) {
  const common = await git(repository, ['rev-parse', '--path-format=absolute', '--git-common-dir']);
  if (!common.ok) return whyFailed(common, 'the submodules were not found');
  const all = path.join(lineOf(common), 'worktrees');
  const left: string[] = [];
  for (const name of await readdir(all).catch(() => [])) {
    const own = path.join(all, name);
    const named = await readFile(path.join(own, 'gitdir'), 'utf8').catch(() => '');
    if (path.resolve(own, named.trimEnd()) !== path.join(worktree, '.git')) continue;
    left.push(...(await keptIn(path.join(own, 'modules'))));
  }
  return unsavedIn(git, left);
}
