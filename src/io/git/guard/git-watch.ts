import { mkdir, readdir, rename, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Trespass } from '#protocol/agent.ts';
import type { Git } from '../plumbing/git.ts';
import { entriesBelow, type Key, nameOf, placeOf } from './entries.ts';
import { type Change, findChanges } from './find-changes.ts';
import { branchOf, commitOf, type GitFolders, gitFoldersOf } from '../plumbing/git-folders.ts';
import { endIndex } from './index-watch.ts';
import { differsHarmlessly } from './git-settings.ts';
import { placeholdersIn, removePlaceholders } from './placeholders.ts';
import { restoreChanges } from './restore-changes.ts';
import type { KeptRefs } from './ref-watch.ts';
import type { Copier } from './copier.ts';
import { copyIn, type GitSnapshot, type FolderSnapshot } from './snapshot.ts';

/** Files of the shared git folder that decide which programs git runs and which files it ignores. */
const COMMON = ['config', 'config.worktree', 'hooks', 'info'];
const OWN = ['HEAD', 'index'];

/**
 * The subfolder of the rescue folder for the agent's versions of git's own files. It isn't called `.git`, because the
 * worktree may have a file of that name to rescue.
 */
const BESIDE = '.git-folder';

/**
 * Files in the git folder of a linked worktree: they say where the shared git folder is and may hold settings of this
 * worktree.
 */
const LINKED = ['commondir', 'gitdir', 'config.worktree'];

function settingsOf(own: string, common: string): readonly string[] {
  const inside = path.relative(common, own).split(path.sep).join('/');
  return inside === '' || inside.startsWith('..') || path.isAbsolute(inside)
    ? COMMON
    : [...COMMON, ...LINKED.map((name) => Buffer.from(`${inside}/${name}`).toString('latin1'))];
}

const present = (root: string, names: readonly string[]) => entriesBelow(root, () => false, names);

/**
 * Files of a submodule's git folder that decide which programs git runs in the submodule. Git commands of the outer
 * repository run them as well, because they examine its submodules.
 */
const OF_MODULE = ['config', 'config.worktree', 'hooks', 'info'];

/** Returns the git folders of the submodules below a folder, as keys in the shared git folder. */
async function modulesBelow(root: string, key: Key): Promise<readonly Key[]> {
  const options = { withFileTypes: true, encoding: 'latin1' } as const;
  const entries = await readdir(placeOf(root, key), options).catch(() => []);
  const isGit = ['HEAD', 'objects'].every((name) => entries.some((entry) => entry.name === name));
  const folders = entries.filter((entry) => entry.isDirectory() && (!isGit || entry.name === 'modules'));
  const below = await Promise.all(folders.map(({ name }) => modulesBelow(root, `${key}/${name}`)));
  return [...(isGit ? [key] : []), ...below.flat()];
}

/** Returns the watched files of all submodules that have a git folder. */
async function settingsOfModules(own: string, common: string): Promise<readonly Key[]> {
  const inside = path.relative(common, own).split(path.sep).join('/');
  const tops = inside === '' ? ['modules'] : ['modules', `${Buffer.from(inside).toString('latin1')}/modules`];
  const modules = await Promise.all(tops.map((top) => modulesBelow(common, top)));
  return modules.flat().flatMap((module) => OF_MODULE.map((name) => `${module}/${name}`));
}

const CONFIG_OF_MODULE = /(?:^|\/)modules\/.+\/config$/s;

/** Returns the files of the submodules that were there when the watch began. New submodules are not watched. */
const recordedOfModules = ({ entries }: FolderSnapshot): readonly Key[] =>
  [...entries.keys()]
    .filter((key) => CONFIG_OF_MODULE.test(key))
    .flatMap((key) => OF_MODULE.map((name) => `${key.slice(0, -'config'.length)}${name}`));

/**
 * Records git's own files before an agent starts; null if the folder is not in a git repository. `commits`: the agent
 * may commit, so HEAD, index and branch are not watched. `refs` reads the tips of the branches of other sessions.
 */
export async function keepGit(
  root: string,
  commits: boolean,
  copier: Copier,
  refs: (folders: GitFolders) => Promise<KeptRefs>,
): Promise<GitSnapshot | null> {
  const folders = await gitFoldersOf(root);
  if (folders === null) return null;
  const { own, common } = folders;
  const settings = [...settingsOf(own, common), ...(await settingsOfModules(own, common))];
  return {
    common: await copier.keep(common, await present(common, settings), () => true),
    own: await copier.keep(own, commits ? new Map() : await present(own, OWN), () => true),
    branch: commits ? null : await branchOf(folders),
    refs: await refs(folders),
  };
}

/** A list of refs for HTTP servers that don't run git. `git gc` writes it. */
const REFS_FOR_SERVERS = 'info/refs';

interface GitWatch {
  readonly git: Git;
  readonly kept: GitSnapshot;
  /** The folder of this watch, which holds the copies. */
  readonly folder: string;
  readonly rescue: string;
  /** The absolute path of the worktree. */
  readonly worktree: string;
  /** Returns whether the block may change the file with this name. */
  readonly allowed: (name: string) => boolean;
  /** Called with the ref of the block's own branch once that was reset. */
  readonly onReset: (ref: string) => void;
}

async function isHarmless(git: Git, kept: FolderSnapshot, folder: string, change: Change): Promise<boolean> {
  const { key, what, before, now } = change;
  if (key === REFS_FOR_SERVERS) return now?.kind !== 'link';
  const copy = kept.copies.get(key);
  const isConfig = key === 'config' || CONFIG_OF_MODULE.test(key);
  if (!isConfig || what !== 'changed' || copy === undefined) return false;
  const isSame = before?.kind === now?.kind && before?.mode === now?.mode;
  return isSame && differsHarmlessly(git, copyIn(folder, copy), placeOf(kept.root, key).toString());
}

/** Returns the changes of the shared git files, except for those that are known to be harmless. */
async function harmfulChanges({ git, kept: { common, own }, folder }: GitWatch): Promise<readonly Change[]> {
  const names = [...settingsOf(own.root, common.root), ...recordedOfModules(common)];
  const harmful: Change[] = [];
  const changes = await findChanges(common, folder, await present(common.root, names));
  const placeholders = placeholdersIn(changes);
  await removePlaceholders(common.root, placeholders);
  for (const change of changes)
    if (!placeholders.has(change.key) && !(await isHarmless(git, common, folder, change))) harmful.push(change);
  return harmful;
}

interface Ended {
  readonly trespasses: readonly Trespass[];
  /** Keys of shared git files that were restored. */
  readonly common: readonly Key[];
}

async function endCommon(watch: GitWatch): Promise<Ended> {
  const { kept, folder, rescue } = watch;
  const changes = await harmfulChanges(watch);
  const left = await restoreChanges({ kept: kept.common, folder, rescue: path.join(rescue, BESIDE) }, changes);
  const trespasses = changes
    .filter(({ what, now, before }) => !(what === 'added' && now?.kind === 'folder') && before?.kind !== 'folder')
    .map(({ key, what }) => ({ path: `.git/${nameOf(key)}`, what, restored: !left.has(key) }));
  return { trespasses, common: changes.map(({ key }) => key).filter((key) => !left.has(key)) };
}

async function resetRef(common: string, ref: string, commit: string): Promise<boolean> {
  const file = path.join(common, ...ref.split('/'));
  try {
    await mkdir(path.dirname(file), { recursive: true });
    await writeFile(`${file}.robosmith`, `${commit}\n`);
    await rename(`${file}.robosmith`, file);
    return true;
  } catch {
    return false;
  }
}

/**
 * Undoes a commit or a checkout by the agent: HEAD, index and branch are restored, and the commits stay in the reflog.
 * If neither HEAD nor the branch moved, only index entries outside of the block's access are restored.
 */
async function endOwn(watch: GitWatch): Promise<readonly Trespass[]> {
  const { kept, folder, rescue } = watch;
  const { own, common, branch } = kept;
  if (own.entries.size === 0) return [];
  const changes = await findChanges(own, folder, await present(own.root, OWN));
  const isElsewhere = changes.some(({ key, what }) => key === 'HEAD' && what !== 'mode');
  const now = branch === null ? null : await commitOf(common.root, branch.ref);
  const isMoved = branch !== null && now?.commit !== branch.commit;
  if (!isElsewhere && !isMoved)
    return changes.some(({ key }) => key === 'index')
      ? endIndex({ ...watch, kept: own, rescue: path.join(rescue, BESIDE) })
      : [];
  const left = await restoreChanges({ kept: own, folder, rescue: path.join(rescue, BESIDE) }, changes);
  const isBack = branch === null || !isMoved || (await resetRef(common.root, branch.ref, branch.commit));
  if (isMoved && isBack && branch !== null) watch.onReset(branch.ref);
  const name = isMoved && branch !== null ? `.git/${branch.ref}` : '.git/HEAD';
  return [{ path: name, what: 'moved', restored: isBack && left.size === 0 }];
}

/** Restores git's own files after an agent has ended. Objects that the agent created stay in the object store. */
export async function endGit(watch: GitWatch): Promise<Ended> {
  const { trespasses, common } = await endCommon(watch);
  return { trespasses: [...trespasses, ...(await endOwn(watch))], common };
}
