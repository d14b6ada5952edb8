import { readdir, readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import type { ListedWorktree, WorktreeRefusal, WorktreeFolder } from '#protocol/worktree.ts';
import type { Git } from '../plumbing/git.ts';
import { realPath } from '../../files/real-path.ts';
import { branchOf, type GitFolders, gitFoldersOf } from '../plumbing/git-folders.ts';
import { gitRefused } from './git-refusal.ts';
import { hasDamagedIndex, isHalfMade } from './incomplete-worktree.ts';
import { listWorktrees } from './list-worktrees.ts';

const isThere = async (file: string): Promise<boolean> => (await stat(file).catch(() => null)) !== null;

const lineIn = async (file: string): Promise<string> => (await readFile(file, 'utf8').catch(() => '')).trim();

/**
 * Returns the folder in which this repository has registered the worktree, if its name there is the one that the
 * worktree knows; and the place that is registered.
 */
async function entryNamedBy(place: string, common: string) {
  // With `worktree.useRelativePaths`, git stores paths relative to the file.
  const named = path.resolve(place, /^gitdir: *(.+)$/.exec(await lineIn(path.join(place, '.git')))?.[1] ?? '');
  if (path.basename(path.dirname(named)) !== 'worktrees') return null;
  const own = path.join(common, 'worktrees', path.basename(named));
  return { named, own, registered: path.dirname(path.resolve(own, await lineIn(path.join(own, 'gitdir')))) };
}

/**
 * Returns the git folders of a worktree whose repository was moved, alone or together with it: the worktree, and in the
 * second case also the repository, still contains the former path of the other. Null if the worktree wasn't moved like
 * this.
 */
async function movedFoldersOf(place: string, common: string): Promise<GitFolders | null> {
  const entry = await entryNamedBy(place, common);
  if (entry === null || (await isThere(entry.named))) return null;
  const { own, registered } = entry;
  const isMovedToo = path.basename(registered) === path.basename(place) && !(await isThere(registered));
  return registered === place || isMovedToo ? { own, common } : null;
}

async function folderOf(place: string, common: string, listed: readonly ListedWorktree[]): Promise<WorktreeFolder> {
  const none: WorktreeFolder = {
    path: place,
    of: 'none',
    isRegistered: false,
    branch: null,
    isHalfMade: false,
    damagedIndex: null,
    needsRepair: false,
    copiedEntry: null,
  };
  if (!(await isThere(path.join(place, '.git')))) return none;
  const standing = await gitFoldersOf(place);
  const found = standing ?? (await movedFoldersOf(place, common));
  if (found === null) return none;
  if (found.common !== common) {
    const entry = await entryNamedBy(place, common);
    return { ...none, of: 'other', copiedEntry: entry?.registered === place ? entry.own : null };
  }
  const branch = (await branchOf(found))?.ref.slice('refs/heads/'.length) ?? null;
  const isRegistered = listed.some((one) => one.path === place);
  const needsRepair = standing === null;
  const damagedIndex = (await hasDamagedIndex(found)) ? path.join(found.own, 'index') : null;
  return { ...none, of: 'this', isRegistered, branch, isHalfMade: await isHalfMade(found), damagedIndex, needsRepair };
}

async function foldersBelow(folder: string): Promise<readonly string[]> {
  const real = await realPath(folder);
  const entries = await readdir(real, { withFileTypes: true }).catch(() => []);
  return entries.filter((entry) => entry.isDirectory()).map(({ name }) => path.join(real, name));
}

interface Surveyed {
  readonly kind: 'surveyed';
  readonly listed: readonly ListedWorktree[];
  readonly folders: readonly WorktreeFolder[];
  readonly branches: ReadonlySet<string>;
}

/**
 * Collects what git and the file system know about the worktrees of a repository, to compare it with the sessions.
 * `folder` is the folder for worktrees; `more` lists worktrees that sessions have elsewhere.
 */
export async function surveyWorktrees(
  git: Git,
  repository: string,
  places: { readonly common: string; readonly folder: string; readonly more: readonly string[] },
): Promise<Surveyed | WorktreeRefusal<'git_failed'>> {
  const listed = await listWorktrees(git, repository);
  if (listed.kind === 'refused') return listed;
  const refs = await git(repository, ['for-each-ref', '--format=%(refname:lstrip=2)', 'refs/heads']);
  if (!refs.ok) return gitRefused('git for-each-ref', refs);
  const common = await realPath(places.common);
  const all = new Set([...(await foldersBelow(places.folder)), ...places.more]);
  const there: WorktreeFolder[] = [];
  for (const place of [...all].sort())
    if (await isThere(place)) there.push(await folderOf(place, common, listed.worktrees));
  const branches = new Set(refs.out.split('\n').filter((name) => name !== ''));
  return { kind: 'surveyed', listed: listed.worktrees, folders: there, branches };
}
