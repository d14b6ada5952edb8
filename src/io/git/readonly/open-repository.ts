import { rm } from 'node:fs/promises';
import path from 'node:path';
import type { ListedWorktree } from '#protocol/worktree.ts';
import { realPath } from '../../files/real-path.ts';
import { isInside } from '../../files/safe-path.ts';
import type { Git } from '../plumbing/git.ts';
import { type Refusal, refused, whyFailed } from '../plumbing/refusal.ts';
import { gitFoldersOf } from '../plumbing/git-folders.ts';
import { rebasedBranch } from '../worktrees/resolve-base.ts';
import { listWorktrees } from '../worktrees/list-worktrees.ts';
import {
  differsByWorktree,
  filtersIn,
  type GitSettings,
  mergeDriversIn,
  programsOff,
  readSettings,
} from './programs-off.ts';
import { createReadOnlyGit, withVariables } from './read-only-git.ts';
import { temporaryFolder, type TemporaryObjects, temporaryObjects } from './temporary-objects.ts';

/** A repository of which nothing is written, with the worktrees of any program. */
export interface ReadOnlyRepository {
  /** Git, writing to `objects` and starting no program of the repository. */
  readonly git: Git;
  /** The folder for commands about the whole repository: a worktree, or the git folder if there is none. */
  readonly folder: string;
  /** The git folder that all worktrees share. */
  readonly common: string;
  readonly objects: TemporaryObjects;
  readonly settings: GitSettings;
  /** The names of the merge drivers that are configured and not run. */
  readonly drivers: readonly string[];
  /** How this git merges: many pairs per process, one pair per process, or, before 2.38, in a scratch index. */
  readonly merges: 'batch' | 'single' | 'scratch';
  /** Such as `2.39.5`. */
  readonly version: string;
  readonly isShallow: boolean;
  readonly isPartial: boolean;
  worktrees(): Promise<readonly ListedWorktree[] | Refusal>;
  /** Ends all git processes and removes everything that was written. */
  close(): Promise<void>;
  /** Returns the filters that are configured for a worktree and not run; null if git can't read its settings. */
  filtersOf(worktree: string): Promise<readonly string[] | null>;
}

/** The first minor versions of git 2 with what this code needs, and with what it can do without. */
const SETTINGS_IN_VARIABLES = 31;
const WORKTREE_LIST_Z = 36;
const MERGE_TREE = 38;
const MERGE_TREE_STDIN = 39;

/** Returns `git` for a version that lacks `-z` of two commands: names with a newline can't be asked for there. */
const forOldGit =
  (git: Git, minor: number): Git =>
  async (directory, args, options = {}) => {
    const without = args.filter((arg) => arg !== '-z');
    if (args[0] === 'worktree' && minor < WORKTREE_LIST_Z) {
      const answer = await git(directory, without, options);
      return { ...answer, out: answer.out.replaceAll('\n', '\0') };
    }
    if (args[0] === 'cat-file' && args.includes('-z') && minor < MERGE_TREE)
      return git(directory, without, { ...options, input: (options.input ?? '').replaceAll('\0', '\n') });
    return git(directory, args, options);
  };

const cantRead = (folder: string, why: string): Refusal => refused('not_a_repository', `${folder}: ${why}`);

/** Returns why git can't use a repository, in one sentence. */
async function whyUnusable(folder: string, err: string): Promise<Refusal> {
  if (/dubious ownership/.test(err))
    return cantRead(folder, 'this repository belongs to another user, and git refuses to read it (safe.directory)');
  if (/not a git repository/.test(err)) return cantRead(folder, 'there is no git repository here');
  return whyFailed({ ok: false, code: 128, out: '', err }, `can't read the repository at ${folder}`);
}

/** Reads the version of git; refuses one that is too old. */
async function versionOf(
  git: Git,
  cwd: string,
): Promise<{ readonly version: string; readonly minor: number } | Refusal> {
  const { out } = await git(cwd, ['version']);
  const [, version = '0', major = '0', digits = '0'] = /version ((\d+)\.(\d+)[\d.]*)/.exec(out) ?? [];
  const minor = Number(major) > 2 ? Infinity : Number(major) < 2 ? 0 : Number(digits);
  if (minor >= SETTINGS_IN_VARIABLES) return { version, minor };
  return refused('git_too_old', `git 2.${SETTINGS_IN_VARIABLES} or newer is needed; this is git ${version}`);
}

/** Returns the first worktree that git can use, else the git folder. */
async function usableFolder(git: Git, common: string, worktrees: readonly ListedWorktree[]): Promise<string> {
  for (const { path: place, isThere, isBare } of worktrees)
    if (isThere && !isBare && (await git(place, ['rev-parse', '--git-dir'])).ok) return place;
  return common;
}

/** Gives a worktree in the middle of a rebase the branch that it rebases, instead of none. */
async function withRebased(one: ListedWorktree): Promise<ListedWorktree> {
  const folders = one.isDetached && one.isThere ? await gitFoldersOf(one.path) : null;
  return folders === null ? one : { ...one, branch: await rebasedBranch(folders.own) };
}

async function open(plain: Git, cwd: string, temporary: string): Promise<Omit<ReadOnlyRepository, 'close'> | Refusal> {
  const found = await versionOf(plain, cwd);
  if ('kind' in found) return found;
  const { version, minor } = found;
  const git = forOldGit(plain, minor);
  const asked = ['rev-parse', '--path-format=absolute', '--git-common-dir', '--show-object-format'];
  const located = await git(cwd, [...asked, '--is-shallow-repository']);
  if (!located.ok) return whyUnusable(cwd, located.err);
  const lines = located.out.trimEnd().split('\n');
  const [format = '', shallow = ''] = lines.slice(-2);
  const common = await realPath(lines.slice(0, -2).join('\n'));
  const settings = await readSettings(git, cwd);
  const listed = await listWorktrees(git, cwd);
  if (settings === null || listed.kind === 'refused') return cantRead(cwd, 'git can not read its settings');
  const objects = await temporaryObjects(
    temporary,
    path.join(common, 'objects'),
    format === 'sha256' ? 'sha256' : 'sha1',
  );
  const drivers = mergeDriversIn(settings);
  const own = withVariables(git, { ...objects.variables, ...programsOff(filtersIn(settings), drivers) });
  const folder = await usableFolder(git, common, listed.worktrees);
  return {
    git: own,
    folder,
    common,
    objects,
    settings,
    drivers,
    version,
    merges: minor >= MERGE_TREE_STDIN ? 'batch' : minor >= MERGE_TREE ? 'single' : 'scratch',
    isShallow: shallow === 'true',
    isPartial: [...settings.keys()].some((key) => /^remote\..*\.promisor$|^extensions\.partialclone$/.test(key)),
    worktrees: async () => {
      const now = await listWorktrees(own, folder);
      return now.kind === 'listed' ? Promise.all(now.worktrees.map(withRebased)) : refused('git_failed', now.message);
    },
    filtersOf: async (worktree) => {
      if (!differsByWorktree(settings)) return filtersIn(settings);
      const there = await readSettings(git, worktree);
      return there === null ? null : filtersIn(there);
    },
  };
}

/** Opens the repository that contains a folder. `close` must be called at the end. */
export async function openRepository(
  cwd: string,
  environment: Readonly<Record<string, string | undefined>>,
): Promise<ReadOnlyRepository | Refusal> {
  const temporary = await temporaryFolder();
  const plain = await createReadOnlyGit(environment, temporary);
  const close = async (): Promise<void> => {
    plain.close();
    await rm(temporary, { recursive: true, force: true, maxRetries: 3 });
  };
  const opened = await open(plain.git, cwd, temporary).catch(async (error: unknown): Promise<never> => {
    await close();
    throw error;
  });
  if (!('kind' in opened)) return { ...opened, close };
  await close();
  return opened;
}

/** Returns the path, with `/`, from the top of the worktree that contains a folder to this folder; empty if none does. */
export async function prefixOf(cwd: string, worktrees: readonly ListedWorktree[]): Promise<string> {
  const here = await realPath(cwd);
  const around = worktrees.filter((one) => !one.isBare && isInside(one.path, here));
  const top = around.sort((a, b) => b.path.length - a.path.length)[0]?.path ?? here;
  return path.relative(top, here).replaceAll(path.sep, '/');
}
