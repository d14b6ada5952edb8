import { readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import { LITERAL_NAMES } from '#protocol/git.ts';
import type { Git, GitAnswer, GitOptions } from './git.ts';
import { gitFoldersOf } from './git-folders.ts';

/**
 * Settings for the engine's own commands: no hooks, no signatures, no automatic gc, and no refusal because of line
 * endings.
 */
const QUIET = [
  ...['-c', 'core.hooksPath=/dev/null', '-c', 'core.safecrlf=false', '-c', 'gc.auto=0'],
  ...['-c', 'commit.gpgSign=false', '-c', 'i18n.commitEncoding=UTF-8', '-c', 'advice.addEmbeddedRepo=false'],
];

/** The author and committer of the engine's own commits. */
export const NAME = 'RoboSmith';

export const EMAIL = 'robosmith@localhost';

/**
 * The engine's own git identity: its commits don't have the user's name, and don't require that the user has a git
 * identity.
 */
const OWN_IDENTITY: Readonly<Record<string, string>> = {
  GIT_AUTHOR_NAME: NAME,
  GIT_AUTHOR_EMAIL: EMAIL,
  GIT_COMMITTER_NAME: NAME,
  GIT_COMMITTER_EMAIL: EMAIL,
};

/** Runs git without the user's hooks and signatures, and with the engine's identity. File names are taken literally. */
export const quietly = (
  git: Git,
  directory: string,
  args: readonly string[],
  options: GitOptions = {},
): Promise<GitAnswer> =>
  git(directory, [...QUIET, ...args], { ...options, env: { ...OWN_IDENTITY, ...LITERAL_NAMES, ...options.env } });

/** Splits output of a git command with `-z` at the NUL characters, without empty parts. */
export const zeroSplit = (text: string): readonly string[] => text.split('\0').filter((part) => part !== '');

/** Returns one line of git's output without its line ending. */
export const lineOf = ({ out }: GitAnswer): string => out.replace(/\r?\n$/, '');

/** Returns the full hash of the commit that a revision refers to; null if there is none. */
export async function commitOf(git: Git, directory: string, revision: string): Promise<string | null> {
  const answer = await git(directory, ['rev-parse', '--quiet', '--verify', '--end-of-options', `${revision}^{commit}`]);
  return answer.ok ? lineOf(answer) : null;
}

/** Returns whether a commit, given by its full hash, exists. A commit that isn't packed is found without git. */
export async function hasCommit(git: Git, directory: string, commit: string): Promise<boolean> {
  const common = (await gitFoldersOf(directory))?.common;
  const loose = common === undefined ? null : path.join(common, 'objects', commit.slice(0, 2), commit.slice(2));
  const isLoose = loose !== null && (await stat(loose).catch(() => null))?.isFile() === true;
  return isLoose || (await commitOf(git, directory, commit)) !== null;
}

/**
 * Updates a ref to the commit `to`, or deletes it if `to` is null. Git refuses unless the ref's current value is
 * `from`. If `from` is null, an update requires that the ref doesn't exist yet.
 */
export const moveRef = (
  git: Git,
  directory: string,
  ref: string,
  to: string | null,
  from: string | null,
  reason: string,
): Promise<GitAnswer> =>
  quietly(git, directory, ['update-ref', '-m', `robosmith: ${reason}`, '--stdin', '-z'], {
    input: to === null ? `delete ${ref}\0${from ?? ''}\0` : `update ${ref}\0${to}\0${from ?? '0'.repeat(to.length)}\0`,
  });

/** Returns a function that looks up the commit of a branch, once for each branch; null if there is no such branch. */
export function tipsOf(git: Git, directory: string): (branch: string) => Promise<string | null> {
  const tips = new Map<string, Promise<string | null>>();
  return (branch) => {
    const known = tips.get(branch) ?? commitOf(git, directory, `refs/heads/${branch}`).catch(() => null);
    tips.set(branch, known);
    return known;
  };
}

interface CommitSubjects {
  /** The subject lines of commits, the oldest first. */
  readonly subjects: readonly string[];
  /** True if the subjects of older commits were left out. */
  readonly isCut: boolean;
}

/**
 * Returns the subjects of the newest commits that are in `to` but not in `from`, at most `most`. The list is empty if
 * git fails.
 */
export async function commitSubjects(
  git: Git,
  directory: string,
  { from, to, most }: { readonly from: string; readonly to: string; readonly most: number },
): Promise<CommitSubjects> {
  const args = ['log', '--no-show-signature', '--encoding=UTF-8', '--format=%s', `--max-count=${String(most + 1)}`];
  const { ok, out } = await git(directory, [...args, `${from}..${to}`, '--']);
  const newest = ok ? out.split('\n').filter((line) => line !== '') : [];
  return { subjects: newest.slice(0, most).reverse(), isCut: newest.length > most };
}

/**
 * Returns the last commit in the reflog of a worktree's HEAD; null if there is no reflog. The file is read directly,
 * because git refuses to read the reflog of HEAD once the branch is deleted.
 */
export async function lastHead(git: Git, worktree: string): Promise<string | null> {
  const named = await git(worktree, ['rev-parse', '--git-path', 'logs/HEAD']);
  if (!named.ok) return null;
  const text = await readFile(path.resolve(worktree, lineOf(named)), 'utf8').catch(() => '');
  const commit = text.trimEnd().split('\n').at(-1)?.split(' ')[1] ?? '';
  return /^[0-9a-f]{40,64}$/.test(commit) ? commitOf(git, worktree, commit) : null;
}
