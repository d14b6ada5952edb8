import { lstat, mkdir, readdir, readFile, rename } from 'node:fs/promises';
import path from 'node:path';
import type { Trespass } from '#protocol/agent.ts';
import { realPath } from '../../files/real-path.ts';
import { isInside } from '../../files/safe-path.ts';
import type { Git } from '../plumbing/git.ts';
import { branchOf, type GitFolders } from '../plumbing/git-folders.ts';
import { RESCUE } from '../plumbing/kept-refs.ts';
import { commitOf, EMAIL, moveRef } from '../plumbing/quiet-git.ts';
import { readRefFiles } from '../plumbing/ref-files.ts';
import { HEADS } from './ref-watch.ts';

/** The worktrees and branches of a repository before a block started, and the commit that the block started from. */
export interface KnownCheckouts {
  readonly worktrees: ReadonlySet<string>;
  readonly branches: ReadonlySet<string>;
  readonly head: string | null;
  /** The absolute path of the git folder of the block's worktree. */
  readonly own: string;
  /** The number of entries in the reflog of its HEAD. */
  readonly moves: number;
}

const worktreesIn = (common: string): Promise<readonly string[]> =>
  readdir(path.join(common, 'worktrees')).catch(() => []);

/** Returns the tips of all branches by their full names; empty if git fails. */
async function branchesIn(git: Git, root: string, common: string): Promise<ReadonlyMap<string, string>> {
  const read = await readRefFiles(common, [HEADS]);
  if (read !== null) return read;
  const listed = await git(root, ['for-each-ref', '--format=%(refname) %(objectname)', HEADS]);
  const lines = listed.ok ? listed.out.split('\n').filter((line) => line !== '') : [];
  return new Map(lines.map((line) => [line.slice(0, line.lastIndexOf(' ')), line.slice(line.lastIndexOf(' ') + 1)]));
}

const textOf = async (file: string): Promise<string> => (await readFile(file, 'utf8').catch(() => '')).trim();

/** Returns the commits that HEAD of a worktree has been at, from its reflog. `own` is its git folder. */
const movesOf = async (own: string): Promise<readonly string[]> =>
  (await textOf(path.join(own, 'logs', 'HEAD'))).split('\n').flatMap((entry) => entry.split(' ', 2)[1] ?? []);

export async function keepCheckouts(git: Git, root: string, folders: GitFolders): Promise<KnownCheckouts> {
  const [worktrees, branches, own] = await Promise.all([
    worktreesIn(folders.common),
    branchesIn(git, root, folders.common),
    branchOf(folders),
  ]);
  const head = own?.commit ?? (await commitOf(git, root, 'HEAD'));
  return {
    worktrees: new Set(worktrees),
    branches: new Set(branches.keys()),
    head,
    own: folders.own,
    moves: (await movesOf(folders.own)).length,
  };
}

/** The first entry of a reflog: the commit that a branch or a worktree started from, and who made it. */
async function beginning(reflog: string): Promise<{ readonly commit: string; readonly email: string } | null> {
  const text = await readFile(reflog, 'utf8').catch(() => '');
  const [, commit, email] = /^[0-9a-f]+ ([0-9a-f]{40,64}) [^<\n]*<([^>\n]*)>/.exec(text) ?? [];
  return commit === undefined || email === undefined ? null : { commit, email };
}

/** Returns the commits from which the block may start: its first one, and those that its worktree has been at since. */
async function commitsOf({ head, own, moves }: KnownCheckouts): Promise<ReadonlySet<string>> {
  const later = (await movesOf(own)).slice(moves);
  return new Set(head === null ? later : [head, ...later]);
}

interface CheckoutWatch {
  readonly git: Git;
  /** The absolute path of the block's worktree. */
  readonly root: string;
  readonly common: string;
  readonly known: KnownCheckouts;
  /** True if the block may commit, and so may make branches. */
  readonly commits: boolean;
  /** The absolute path of the folder that receives what is removed. */
  readonly rescue: string;
  /** Branches that the engine itself may have made meanwhile. */
  readonly excused: ReadonlySet<string>;
  /** True if another watched block has started from the same commit and may have made them as well. */
  readonly isShared: boolean;
}

interface Ended {
  readonly trespasses: readonly Trespass[];
  /** Messages about new worktrees and branches whose author is unknown. They stay. */
  readonly unclear: readonly string[];
}

/** Moves a folder to the rescue folder; returns false if it stays, for example on another file system. */
const moveTo = (rescue: string, name: string, from: string): Promise<boolean> =>
  mkdir(path.dirname(path.join(rescue, name)), { recursive: true })
    .then(() => rename(from, path.join(rescue, name)))
    .then(
      () => true,
      () => false,
    );

interface NewWorktree {
  readonly name: string;
  /** The branch that is checked out there; empty if there is none. */
  readonly ref: string;
  readonly by: 'engine' | 'block' | 'unknown';
  readonly place: string;
}

/** Matches the reason with which an engine locks its worktrees. */
const ENGINE_LOCK = /^robosmith(?:-merge)? /;

async function newWorktree(
  { root, common, isShared }: CheckoutWatch,
  name: string,
  commits: ReadonlySet<string>,
): Promise<NewWorktree> {
  const entry = path.join(common, 'worktrees', name);
  const isEngines = ENGINE_LOCK.test(await textOf(path.join(entry, 'locked')));
  const place = path.dirname(path.resolve(entry, await textOf(path.join(entry, 'gitdir'))));
  const began = await beginning(path.join(entry, 'logs', 'HEAD'));
  const real = await realPath(place);
  const isInProject =
    isInside(root, real) || (path.basename(common) === '.git' && isInside(path.dirname(common), real));
  const ref = /^ref: (\S+)$/.exec(await textOf(path.join(entry, 'HEAD')))?.[1] ?? '';
  const isOwn = !isShared && (isInProject || began === null || commits.has(began.commit));
  return { name, ref, by: isEngines ? 'engine' : isOwn ? 'block' : 'unknown', place };
}

/**
 * Returns whether a folder is the worktree of this entry: its `.git` file must name the entry, because a block can write
 * any path into the entry.
 */
async function isWorktreeOf(place: string, entry: string): Promise<boolean> {
  const file = path.join(place, '.git');
  const isFile = (await lstat(file).catch(() => null))?.isFile() === true;
  const named = isFile ? /^gitdir: (.+)$/.exec(await textOf(file))?.[1] : undefined;
  return named !== undefined && (await realPath(path.resolve(place, named))) === (await realPath(entry));
}

async function removeWorktree({ common, rescue }: CheckoutWatch, { name, place }: NewWorktree): Promise<Trespass> {
  const entry = path.join(common, 'worktrees', name);
  // If the folder stays, git no longer knows it as a worktree, and its files are left alone.
  if (await isWorktreeOf(place, entry)) await moveTo(rescue, path.join('.worktrees', name), place);
  const restored = await moveTo(rescue, path.join('.git-folder', 'worktrees', name), entry);
  return { path: `.git/worktrees/${name}`, what: 'added', restored };
}

/** Returns the branches that are checked out in worktrees that were there before the block. */
async function heldBefore({ common, known }: CheckoutWatch): Promise<ReadonlySet<string>> {
  const heads = [common, ...[...known.worktrees].map((name) => path.join(common, 'worktrees', name))];
  return new Set(
    await Promise.all(heads.map(async (one) => (await textOf(path.join(one, 'HEAD'))).replace('ref: ', ''))),
  );
}

/** Deletes a branch, after its commit is kept by a ref of the engine. */
async function removeBranch({ git, root }: CheckoutWatch, ref: string, tip: string): Promise<Trespass> {
  const kept = `${RESCUE}branch-${tip.slice(0, 12)}`;
  await moveRef(git, root, kept, tip, null, `a block made ${ref}`);
  const { ok } = await moveRef(git, root, ref, null, tip, 'made by a block');
  return { path: `.git/${ref}`, what: 'added', restored: ok };
}

/**
 * Undoes new worktrees, and new branches of a block that may not commit. A worktree or branch that did not start from
 * the block's commit was probably made by a person or another program meanwhile: it stays, with a message.
 */
export async function endCheckouts(watch: CheckoutWatch): Promise<Ended> {
  const { git, root, common, known, excused, isShared, commits } = watch;
  const trespasses: Trespass[] = [];
  const unclear: string[] = [];
  const ofOthers = new Set<string>();
  const own = await commitsOf(known);
  for (const name of (await worktreesIn(common)).filter((one) => !known.worktrees.has(one))) {
    const found = await newWorktree(watch, name, own);
    if (found.by === 'block') trespasses.push(await removeWorktree(watch, found));
    else ofOthers.add(found.ref);
    if (found.by === 'unknown') unclear.push(`the worktree ${name} is new`);
  }
  if (commits) return { trespasses, unclear };
  const held = await heldBefore(watch);
  for (const [ref, tip] of await branchesIn(git, root, common)) {
    if (known.branches.has(ref) || held.has(ref) || ofOthers.has(ref) || excused.has(ref.slice(HEADS.length))) continue;
    const began = await beginning(path.join(common, 'logs', ...ref.split('/')));
    if (began?.email === EMAIL || (await commitOf(git, root, `${ref.slice(HEADS.length)}@{upstream}`)) === tip)
      continue;
    if (!isShared && own.has(began?.commit ?? tip)) trespasses.push(await removeBranch(watch, ref, tip));
    else unclear.push(`the branch ${ref.slice(HEADS.length)} is new`);
  }
  return { trespasses, unclear };
}
