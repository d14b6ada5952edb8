import { isNamedAsSecret } from '#protocol/outbound.ts';
import type { Services } from '#protocol/services.ts';
import { accessCheck } from '../writing/write-access.ts';
import { type GitProblem, gitProblem } from './git-codes.ts';
import { failureOf, isLocked, tail } from './git-failure.ts';
import { type Change, readStatus } from './read-status.ts';
import type { Git } from './run-git.ts';

/** The changed paths below the run's directory. */
export interface CommitChanges {
  readonly allowed: readonly Change[];
  /**
   * Changed paths that are not committed: paths outside the block's access, new files whose names suggest secrets, and
   * names that are not UTF-8.
   */
  readonly left: readonly string[];
}

export const isProblem = (value: object): value is GitProblem => 'code' in value;

/** Returns the path of the run's directory within its repository: an empty string, or a path that ends with `/`. */
async function prefixIn(git: Git): Promise<string | GitProblem> {
  const args = ['rev-parse', '--show-prefix'];
  const prefix = await git({ args, isRead: true });
  if (prefix.ok) return prefix.text.replace(/\r?\n$/, '');
  const { text } = await git({ args });
  return /not a git repository|must be run in a work tree/.test(text)
    ? gitProblem('not_a_repository', 'the directory of the run is not in a git repository')
    : gitProblem('git_failed', tail(text));
}

const exists = async (git: Git, ref: string): Promise<boolean> =>
  (await git({ args: ['rev-parse', '--quiet', '--verify', ref] })).ok;

const STATUS = ['status', '--porcelain=v2', '-z', '--untracked-files=all', '--no-renames', '--ignore-submodules=dirty'];

/** Returns the name of an unfinished merge, cherry-pick, revert, rebase or `git am`, or null if there is none. */
async function operationInProgress(git: Git): Promise<string | null> {
  for (const ref of ['MERGE_HEAD', 'CHERRY_PICK_HEAD', 'REVERT_HEAD', 'REBASE_HEAD'])
    if (await exists(git, ref)) return ref;
  // An interrupted rebase or `git am` sets no ref but leaves these files.
  for (const name of ['rebase-merge/head-name', 'rebase-apply/next']) {
    const { ok, text } = await git({ args: ['rev-parse', '--git-path', name], isRead: true });
    const file = text.replace(/\r?\n$/, '');
    if (ok && (await git({ args: ['hash-object', '--no-filters', '--', file] })).ok) return name;
  }
  return null;
}

/** Returns all parent folders of the changed paths. */
function foldersOf(changes: readonly Change[]): ReadonlySet<string> {
  const found = new Set<string>();
  for (const { path } of changes)
    for (let at = path.indexOf('/'); at >= 0; at = path.indexOf('/', at + 1)) found.add(path.slice(0, at));
  return found;
}

/** Finds the changed paths and determines which of them the block may commit. */
export async function findChanges(git: Git, { files, block }: Services): Promise<CommitChanges | GitProblem> {
  const prefix = await prefixIn(git);
  if (typeof prefix !== 'string') return prefix;
  const { ok, text } = await git({ args: STATUS, isRead: true });
  if (!ok) return gitProblem('git_failed', tail((await git({ args: STATUS })).text));
  const { changed, unmerged } = readStatus(text);
  if (unmerged.length > 0)
    return gitProblem('merge_conflicts', `a merge left conflicts: ${unmerged.slice(0, 20).join(', ')}`, {
      paths: unmerged,
    });
  const other = await operationInProgress(git);
  if (other !== null)
    return gitProblem('merge_in_progress', `another git operation is in progress (${other}). Finish or abort it first`);
  const here = changed
    .filter(({ path }) => path.startsWith(prefix))
    .map((change) => ({ ...change, path: change.path.slice(prefix.length) }));
  const hooks = (await files?.hooksFolder?.()) ?? null;
  const check = accessCheck(block.access, 'program', (await files?.ignoresCase()) ?? false, hooks);
  // A path that ends with "/" is a nested repository. A name that is not UTF-8 can't be passed back to git.
  const isCovered = ({ path, isNew }: Change): boolean =>
    !path.endsWith('/') &&
    !path.includes('\u{fffd}') &&
    !(isNew && isNamedAsSecret(path)) &&
    check(path, path) === null;
  const kept = foldersOf(here.filter((change) => !isCovered(change)));
  // If a folder replaced a file, committing the file's removal also commits the folder's content. The removal is
  // therefore allowed only if all of that content may be committed.
  const allowed = here.filter((change) => isCovered(change) && !kept.has(change.path));
  const taken = new Set(allowed);
  return { allowed, left: here.filter((change) => !taken.has(change)).map(({ path }) => path) };
}

/** Files above this size in bytes are not searched for keys. */
const LARGEST_SEARCHED = 64 * 1024 * 1024;

/** Returns the problem if one of the changed files contains a key of the user. */
export async function keyProblem(changes: readonly Change[], { files, agents }: Services): Promise<GitProblem | null> {
  if (files === null || agents === undefined || agents === null) return null;
  const paths: string[] = [];
  for (const { path, isGone } of changes) {
    if (isGone) continue;
    const found = await files.readBytes(path, LARGEST_SEARCHED).catch(() => null);
    // Latin1 maps each byte to one character, and keys are ASCII.
    if (found?.kind === 'there' && agents.hasKey(new TextDecoder('latin1').decode(found.bytes))) paths.push(path);
  }
  if (paths.length === 0) return null;
  const message = `one of your own API keys is in ${paths.slice(0, 20).join(', ')}. Remove it there, and use a new key if others may have seen it`;
  return gitProblem('known_key', message, { paths });
}

const IDENTITIES = ['GIT_AUTHOR_IDENT', 'GIT_COMMITTER_IDENT'];

async function identityProblem(git: Git): Promise<GitProblem | null> {
  for (const name of IDENTITIES) {
    const { ok, text } = await git({ args: ['var', name] });
    if (!ok)
      return gitProblem(
        'identity_missing',
        'git does not know the author of the commit. Set user.name and user.email',
        {
          output: tail(text),
        },
      );
  }
  return null;
}

/** Delays between retries in milliseconds while another git process, for example an editor's, holds the lock. */
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

/** Stages the changes. Returns the paths that still differ from the last commit afterwards. */
async function stage(git: Git, changes: readonly Change[], sleep: Sleep): Promise<readonly string[] | GitProblem> {
  const input = changes
    .filter(({ isGone }) => !isGone)
    .map(({ path }) => path)
    .join('\0');
  // Without any path, `git add --all` would stage everything.
  if (input !== '') {
    const added = await unlocked(git, { args: ['add', '--all', ...FROM_INPUT], input }, sleep);
    if (!added.ok) return failureOf(added.text, false);
  }
  const prefix = await prefixIn(git);
  if (typeof prefix !== 'string') return prefix;
  const { ok, text } = await git({ args: STATUS, isRead: true });
  if (!ok) return failureOf(text, false);
  const staged = new Map(readStatus(text).changed.map((change) => [change.path, change]));
  const left = changes.flatMap(({ path }) => {
    const now = staged.get(prefix + path);
    return now === undefined ? [] : [{ ...now, path }];
  });
  // If a folder replaced a file, staging the folder's content also removes the file.
  const folders = foldersOf(left.filter(({ isGone }) => !isGone));
  return left.flatMap(({ path, isGone }) => (isGone && folders.has(path) ? [] : [path]));
}

/**
 * Commits exactly these files, regardless of what else is staged. Returns null on success, or `nothing` if the files do
 * not differ from the last commit.
 */
export async function commitFiles(
  git: Git,
  changes: readonly Change[],
  message: string,
  hooks: boolean,
  sleep: Sleep,
): Promise<GitProblem | 'nothing' | null> {
  const unknown = await identityProblem(git);
  if (unknown !== null) return unknown;
  const paths = await stage(git, changes, sleep);
  if ('code' in paths) return paths;
  if (paths.length === 0) return 'nothing';
  // Hooks inherit git's environment, and their own path patterns must work. Therefore `GIT_LITERAL_PATHSPECS` is not
  // set for commits, and each path is marked as literal instead.
  const input = paths.map((path) => `:(literal)${path}`).join('\0');
  const args = ['commit', '--only', '--cleanup=whitespace', `--message=${message}`, ...(hooks ? [] : ['--no-verify'])];
  const committed = await unlocked(git, { args: [...args, ...FROM_INPUT], input }, sleep);
  if (committed.ok) return null;
  if (/^(?:nothing (?:added )?to commit|no changes added to commit)/m.test(committed.text)) return 'nothing';
  // A dry run executes no hooks. If it succeeds, a hook has most likely rejected the commit.
  const isHook = hooks && (await git({ args: ['commit', '--only', '--dry-run', ...FROM_INPUT], input })).ok;
  return failureOf(committed.text, isHook);
}
