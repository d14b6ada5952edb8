import { mkdir, rename, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Trespass } from '#protocol/agent.ts';
import { entriesBelow, nameOf } from './entries.ts';
import { findChanges } from './find-changes.ts';
import { branchOf, commitOf, gitFoldersOf } from './git-folders.ts';
import { putBack } from './put-back.ts';
import type { Copier, GitKept } from './snapshot.ts';

/** What decides which programs git runs, and what it leaves out. */
const COMMON = ['config', 'config.worktree', 'hooks', 'info'];
const OWN = ['HEAD', 'index'];

/** Where the agent's versions of these go: `.git` may be one of the worktree's own. */
const BESIDE = '.git-folder';

/** Of a linked worktree: where git finds the common folder, and settings of its own where there may be some. */
const LINKED = ['commondir', 'gitdir', 'config.worktree'];

function settingsOf(own: string, common: string): readonly string[] {
  const inside = path.relative(common, own).split(path.sep).join('/');
  return inside === '' || inside.startsWith('..') || path.isAbsolute(inside)
    ? COMMON
    : [...COMMON, ...LINKED.map((name) => Buffer.from(`${inside}/${name}`).toString('latin1'))];
}

const present = (root: string, names: readonly string[]) => entriesBelow(root, () => false, names);

/** `commits`: moving the branch is allowed. */
export async function keepGit(root: string, commits: boolean, copier: Copier): Promise<GitKept | null> {
  const folders = await gitFoldersOf(root);
  if (folders === null) return null;
  const { own, common } = folders;
  return {
    common: await copier.keep(common, await present(common, settingsOf(own, common)), () => true),
    own: await copier.keep(own, commits ? new Map() : await present(own, OWN), () => true),
    branch: commits ? null : await branchOf(folders),
  };
}

interface GitWatch {
  readonly kept: GitKept;
  /** Of the watch: its copies. */
  readonly folder: string;
  readonly rescue: string;
}

async function endCommon({ kept: { common, own }, folder, rescue }: GitWatch): Promise<readonly Trespass[]> {
  const names = settingsOf(own.root, common.root);
  const changes = await findChanges(common, folder, await present(common.root, names));
  const left = await putBack({ kept: common, folder, rescue: path.join(rescue, BESIDE) }, changes);
  return changes
    .filter(({ what, now, before }) => !(what === 'added' && now?.kind === 'folder') && before?.kind !== 'folder')
    .map(({ key, what }) => ({ path: `.git/${nameOf(key)}`, what, restored: !left.has(key) }));
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

/** A commit or a checkout: HEAD, index and branch go back; what was committed stays in the reflog. A changed index alone is no matter. */
async function endOwn({ kept: { own, common, branch }, folder, rescue }: GitWatch): Promise<readonly Trespass[]> {
  if (own.entries.size === 0) return [];
  const changes = await findChanges(own, folder, await present(own.root, OWN));
  const isElsewhere = changes.some(({ key, what }) => key === 'HEAD' && what !== 'mode');
  const now = branch === null ? null : await commitOf(common.root, branch.ref);
  const isMoved = branch !== null && now?.commit !== branch.commit;
  if (!isElsewhere && !isMoved) return [];
  const left = await putBack({ kept: own, folder, rescue: path.join(rescue, BESIDE) }, changes);
  const isBack = branch === null || !isMoved || (await resetRef(common.root, branch.ref, branch.commit));
  const name = isMoved && branch !== null ? `.git/${branch.ref}` : '.git/HEAD';
  return [{ path: name, what: 'moved', restored: isBack && left.size === 0 }];
}

/** Puts back what an agent did to git's own files; the objects that it made stay. */
export const endGit = async (watch: GitWatch): Promise<readonly Trespass[]> => [
  ...(await endCommon(watch)),
  ...(await endOwn(watch)),
];
