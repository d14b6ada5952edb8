import { stat } from 'node:fs/promises';
import path from 'node:path';
import { RoboSmithError } from '#protocol/error.ts';
import type { ListedWorktree, Note, WorktreeRefusal } from '#protocol/worktree.ts';
import type { Git, GitAnswer } from '../plumbing/git.ts';
import { realPath } from '../../files/real-path.ts';
import { gitRefused, refused } from './git-refusal.ts';
import { locksIn, operationIn } from './git-state.ts';
import { listWorktrees } from './list-worktrees.ts';
import type { Repository } from './repository.ts';
import { notesOn, type RepositoryNote } from './repository-notes.ts';
import { resolveBase } from './resolve-base.ts';

/** Returns the paths of a commit's submodules, from its `.gitmodules`. */
export async function submodulesOf(git: Git, repository: string, commit: string): Promise<readonly string[]> {
  const blob = `${commit}:.gitmodules`;
  const there = await git(repository, ['ls-tree', '--full-tree', commit, '--', '.gitmodules']);
  if (!there.ok || there.out === '') return [];
  const found = await git(repository, [
    'config',
    '-z',
    '--blob',
    blob,
    '--get-regexp',
    String.raw`^submodule\..*\.path$`,
  ]);
  return found.out
    .split('\0')
    .filter((entry) => entry.includes('\n'))
    .map((entry) => entry.slice(entry.indexOf('\n') + 1));
}

/** The git version that introduced `git merge-tree --write-tree`. */
const NEEDED = [2, 38] as const;

type RepositoryReason =
  | ('no_folder' | 'no_git' | 'git_too_old' | 'git_failed' | 'not_a_repository' | 'not_trusted')
  | ('base_missing' | 'base_unknown' | 'no_commit');

export type PrepareResult =
  | { readonly kind: 'ready'; readonly repository: Repository; readonly notes: readonly Note<RepositoryNote>[] }
  | WorktreeRefusal<RepositoryReason>;

/** Returns the version of git if it is recent enough, else a refusal. */
async function tooOld(git: Git, directory: string): Promise<string | WorktreeRefusal<'no_git' | 'git_too_old'>> {
  const answer = await git(directory, ['version']).catch((thrown: unknown) => {
    if (RoboSmithError.is(thrown, 'precondition_failed')) return thrown.message;
    throw thrown;
  });
  if (typeof answer === 'string') return refused('no_git', `${answer}. Install git, or add it to the PATH`);
  const version = /\d+\.\d+(?:\.\d+)?/.exec(answer.out)?.[0] ?? '0.0';
  const [major = 0, minor = 0] = version.split('.').map(Number);
  if (major > NEEDED[0] || (major === NEEDED[0] && minor >= NEEDED[1])) return version;
  const needed = NEEDED.join('.');
  return refused(
    'git_too_old',
    `git ${version} is too old: sessions need git ${needed} or later (for \`git merge-tree --write-tree\`). Update git`,
  );
}

function notARepository(directory: string, answer: GitAnswer): WorktreeRefusal<RepositoryReason> {
  if (/dubious ownership/.test(answer.err))
    return refused(
      'not_trusted',
      `git does not trust ${directory}, which belongs to another user. If you trust it, run \`git config --global --add safe.directory ${directory}\``,
    );
  if (/not a git repository/i.test(answer.err))
    return refused(
      'not_a_repository',
      `${directory} is not in a git repository, which sessions need. Create one with \`git init\``,
    );
  return gitRefused('git rev-parse', answer);
}

interface Place {
  readonly top: string | null;
  readonly common: string;
  readonly own: string;
  readonly isBare: boolean;
  readonly isShallow: boolean;
}

/** Queries each value separately. This is needed if a path contains newlines, or if git rejects one of the queries. */
async function placeByParts(git: Git, directory: string): Promise<Place | WorktreeRefusal<RepositoryReason>> {
  const flags = await git(directory, ['rev-parse', '--is-bare-repository', '--is-shallow-repository']);
  if (!flags.ok) return notARepository(directory, flags);
  const [isBare, isShallow] = flags.out.split('\n');
  const ask = async (what: string): Promise<string | null> => {
    const answer = await git(directory, ['rev-parse', '--path-format=absolute', what]);
    return answer.ok ? path.normalize(answer.out.replace(/\r?\n$/, '')) : null;
  };
  const [own, common, top] = await Promise.all([ask('--git-dir'), ask('--git-common-dir'), ask('--show-toplevel')]);
  return {
    top,
    common: common ?? own ?? directory,
    own: own ?? directory,
    isBare: isBare === 'true',
    isShallow: isShallow === 'true',
  };
}

const PLACE = ['--is-bare-repository', '--is-shallow-repository', '--path-format=absolute'];

async function placeOf(git: Git, directory: string): Promise<Place | WorktreeRefusal<RepositoryReason>> {
  const answer = await git(directory, ['rev-parse', ...PLACE, '--git-dir', '--git-common-dir', '--show-toplevel']);
  const [isBare = '', isShallow = '', own = '', common = '', top = '', end, ...more] = answer.out.split(/\r?\n/);
  if (!answer.ok || end !== '' || more.length > 0) return placeByParts(git, directory);
  return {
    top: path.normalize(top),
    common: path.normalize(common),
    own: path.normalize(own),
    isBare: isBare === 'true',
    isShallow: isShallow === 'true',
  };
}

/**
 * Returns the top of the main worktree, or null in a bare repository. For a submodule, and for a repository whose git
 * folder is elsewhere, git lists the git folder itself as the main worktree, so the top is used instead.
 */
function mainOf({ top, own, common }: Place, listed: ListedWorktree | undefined): string | null {
  if (top !== null && own === common) return top;
  return listed === undefined || listed.isBare ? null : listed.path;
}

type RepositoryLocation =
  /** `main` is the main worktree, null in a bare repository; `common` is the git folder that all worktrees share. */
  | { readonly kind: 'located'; readonly main: string | null; readonly common: string }
  | WorktreeRefusal<RepositoryReason>;

interface Ground {
  readonly version: string;
  readonly place: Place;
  readonly worktrees: readonly ListedWorktree[];
}

/**
 * Collects the git version, the git folders and the worktrees of a repository. The git commands run concurrently, since
 * all of them are needed.
 */
async function groundOf(git: Git, directory: string): Promise<Ground | WorktreeRefusal<RepositoryReason>> {
  const asked = Promise.all([placeOf(git, directory), listWorktrees(git, directory)]);
  // Prevents an unhandled rejection. If git is missing, these commands fail too, and `tooOld` reports it.
  asked.catch(() => undefined);
  const version = await tooOld(git, directory);
  if (typeof version !== 'string') return version;
  const [place, listed] = await asked;
  if ('kind' in place) return place;
  return listed.kind === 'refused' ? listed : { version, place, worktrees: listed.worktrees };
}

/** Locates the repository of a folder, whatever the state of its branches. */
export async function locateRepository(git: Git, directory: string): Promise<RepositoryLocation> {
  const ground = await groundOf(git, directory);
  if ('kind' in ground) return ground;
  const { place, worktrees } = ground;
  return { kind: 'located', main: mainOf(place, worktrees[0]), common: place.common };
}

async function outerOf(git: Git, main: string): Promise<string | null> {
  const outer = await git(path.dirname(main), ['rev-parse', '--show-toplevel']);
  return outer.ok ? path.normalize(outer.out.replace(/\r?\n$/, '')) : null;
}

interface PrepareOptions {
  /** The `base` of the manifest's `worktree` section; null if it isn't set. */
  readonly base: string | null;
  /** The current time in milliseconds since the epoch. */
  readonly now: number;
  /** True to skip reading the submodules, for a caller that gets them from `addWorktree`. */
  readonly withoutSubmodules?: true;
}

/** Collects the facts that are needed to create a session, or refuses if no session can be created. */
export async function prepareRepository(git: Git, directory: string, options: PrepareOptions): Promise<PrepareResult> {
  const { base: wanted, now } = options;
  const found = await stat(directory).catch(() => null);
  if (found?.isDirectory() !== true) return refused('no_folder', `The folder ${directory} does not exist`);
  const ground = await groundOf(git, directory);
  if ('kind' in ground) return ground;
  const { version, place, worktrees } = ground;
  const [first] = worktrees;
  const { common, isShallow, top } = place;
  const main = mainOf(place, first);
  const [base, nestedIn] = await Promise.all([
    resolveBase(git, { repository: directory, common, main: first, base: wanted }),
    outerOf(git, main ?? common),
  ]);
  if ('kind' in base) return base;
  const repository: Repository = {
    top,
    main,
    common: await realPath(common),
    isBare: main === null,
    isShallow,
    version,
    base,
    nestedIn,
    submodules: options.withoutSubmodules === true ? [] : await submodulesOf(git, directory, base.commit),
    operation: await operationIn(common),
    locks: await locksIn(common, now),
    worktrees,
  };
  return { kind: 'ready', repository, notes: notesOn(repository) };
}
