import { LITERAL_NAMES } from '#protocol/git.ts';
import type { Git, GitAnswer, GitOptions } from './git.ts';

/** For what is the engine's own and not the user's: no hook, no signature, no detached gc, no rename of line ends refused. */
const QUIET = [
  ...['-c', 'core.hooksPath=/dev/null', '-c', 'core.safecrlf=false', '-c', 'gc.auto=0'],
  ...['-c', 'commit.gpgSign=false', '-c', 'i18n.commitEncoding=UTF-8', '-c', 'advice.addEmbeddedRepo=false'],
];

/** Who makes the commits of the engine's own. */
export const NAME = 'RoboSmith';
export const EMAIL = 'robosmith@localhost';

/** Commits that nobody signs with his own name, and that a machine without an identity can make. */
const OWN_IDENTITY: Readonly<Record<string, string>> = {
  GIT_AUTHOR_NAME: NAME,
  GIT_AUTHOR_EMAIL: EMAIL,
  GIT_COMMITTER_NAME: NAME,
  GIT_COMMITTER_EMAIL: EMAIL,
};

/** Git without the user's hooks and signatures, and with an identity whatever is configured; names of files are no patterns. */
export const quietly = (
  git: Git,
  directory: string,
  args: readonly string[],
  options: GitOptions = {},
): Promise<GitAnswer> =>
  git(directory, [...QUIET, ...args], { ...options, env: { ...OWN_IDENTITY, ...LITERAL_NAMES, ...options.env } });

/** Parts of a `-z` list. */
export const zeroSplit = (text: string): readonly string[] => text.split('\0').filter((part) => part !== '');

/** One line of output, without its end. */
export const lineOf = ({ out }: GitAnswer): string => out.replace(/\r?\n$/, '');

/** Full hash of what a revision names; null when git knows none. */
export async function commitOf(git: Git, directory: string, revision: string): Promise<string | null> {
  const answer = await git(directory, ['rev-parse', '--quiet', '--verify', '--end-of-options', `${revision}^{commit}`]);
  return answer.ok ? lineOf(answer) : null;
}

/** Moves a ref from what it must be (null: it is not there yet) to a commit, or removes it (null); a refusal is git's own. */
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
