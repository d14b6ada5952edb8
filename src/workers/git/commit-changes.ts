import type { Services } from '#protocol/services.ts';
import type { JsonObject } from '#protocol/json.ts';
import { accessCheck } from '../write-access.ts';
import { type GitProblem, gitProblem } from './git-codes.ts';
import { readStatus } from './read-status.ts';
import type { Git } from './run-git.ts';

/** Changes below the directory of the run; its paths. */
export interface Changes {
  readonly allowed: readonly string[];
  /** The block's access does not cover them: they stay as they are. */
  readonly left: readonly string[];
}

export const isProblem = (value: object): value is GitProblem => 'code' in value;

/** The last lines of what git said. */
const tail = (text: string): string => text.trim().split('\n').slice(-20).join('\n').slice(-4_000);

/** Where the directory of the run is in its repository: empty, or with a `/` at its end. */
async function prefixIn(git: Git): Promise<string | GitProblem> {
  const { ok, text } = await git({ args: ['rev-parse', '--show-prefix'] });
  if (ok) return text.replace(/\r?\n$/, '');
  return /not a git repository|must be run in a work tree/.test(text)
    ? gitProblem('not_a_repository', 'the directory of the run is in no git repository')
    : gitProblem('git_failed', tail(text));
}

const exists = async (git: Git, ref: string): Promise<boolean> =>
  (await git({ args: ['rev-parse', '--quiet', '--verify', ref] })).ok;

const STATUS = ['status', '--porcelain=v2', '-z', '--untracked-files=all', '--no-renames', '--ignore-submodules=dirty'];

/** What has changed, and what of it the block may commit. */
export async function findChanges(git: Git, { files, block }: Services): Promise<Changes | GitProblem> {
  const prefix = await prefixIn(git);
  if (typeof prefix !== 'string') return prefix;
  const { ok, text } = await git({ args: STATUS, isRead: true });
  if (!ok) return gitProblem('git_failed', tail((await git({ args: STATUS })).text));
  const { changed, unmerged } = readStatus(text);
  if (unmerged.length > 0)
    return gitProblem('merge_conflicts', `a merge left conflicts: ${unmerged.slice(0, 20).join(', ')}`, {
      paths: unmerged,
    });
  for (const ref of ['MERGE_HEAD', 'CHERRY_PICK_HEAD', 'REVERT_HEAD'])
    if (await exists(git, ref))
      return gitProblem('merge_in_progress', `${ref} is there: something else is to be concluded or aborted first`);
  const here = changed.filter((path) => path.startsWith(prefix)).map((path) => path.slice(prefix.length));
  const check = accessCheck(block.access, (await files?.ignoresCase()) ?? false);
  // A name with "/" at its end is another repository inside.
  const allowed = here.filter((path) => !path.endsWith('/') && check(path, path) === null);
  const taken = new Set(allowed);
  return { allowed, left: here.filter((path) => !taken.has(path)) };
}

const IDENTITIES = ['GIT_AUTHOR_IDENT', 'GIT_COMMITTER_IDENT'];

async function identityProblem(git: Git): Promise<GitProblem | null> {
  for (const name of IDENTITIES) {
    const { ok, text } = await git({ args: ['var', name] });
    if (!ok)
      return gitProblem('identity_missing', 'git does not know who commits: set user.name and user.email', {
        output: tail(text),
      });
  }
  return null;
}

const isLocked = (text: string): boolean => /\.lock': File exists/.test(text);

/** Another git works for a moment; an editor's does so often. */
const WAITS_MS = [100, 200, 400, 800, 1_600];

type Sleep = (ms: number) => Promise<void>;

async function unlocked(git: Git, call: Parameters<Git>[0], sleep: Sleep): Promise<Awaited<ReturnType<Git>>> {
  let answer = await git(call);
  for (const wait of WAITS_MS) {
    if (answer.ok || !isLocked(answer.text)) return answer;
    await sleep(wait);
    answer = await git(call);
  }
  return answer;
}

const FROM_INPUT = ['--pathspec-from-file=-', '--pathspec-file-nul'];

function failureOf(text: string): GitProblem {
  const data: JsonObject = { output: tail(text) };
  if (isLocked(text))
    return gitProblem(
      'index_locked',
      `another git works in this repository, or one that was cut off has left its lock (then remove the file that git names, when no git runs):\n${tail(text)}`,
      data,
    );
  return /^(?:fatal|error):/m.test(text)
    ? gitProblem('git_failed', tail(text), data)
    : gitProblem(
        'hook_refused',
        `git did not commit; most likely a hook of the repository refused it:\n${tail(text)}`,
        data,
      );
}

/** Commits exactly these files, whatever else is staged; null: done. `nothing`: they are as they were committed. */
export async function commitFiles(
  git: Git,
  paths: readonly string[],
  message: string,
  hooks: boolean,
  sleep: Sleep,
): Promise<GitProblem | 'nothing' | null> {
  const unknown = await identityProblem(git);
  if (unknown !== null) return unknown;
  const input = paths.join('\0');
  const added = await unlocked(git, { args: ['add', '--all', ...FROM_INPUT], input }, sleep);
  if (!added.ok) return failureOf(added.text);
  const args = ['commit', '--only', '--cleanup=whitespace', `--message=${message}`, ...(hooks ? [] : ['--no-verify'])];
  const committed = await unlocked(git, { args: [...args, ...FROM_INPUT], input }, sleep);
  if (committed.ok) return null;
  return /^(?:nothing (?:added )?to commit|no changes added to commit)/m.test(committed.text)
    ? 'nothing'
    : failureOf(committed.text);
}
