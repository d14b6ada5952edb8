import { stat } from 'node:fs/promises';
import { GIT_CAUSES, type GitCause, LOCK_FILE } from './git-causes.ts';
import type { GitAnswer } from './git.ts';
import { rejectedByHook } from '#protocol/git.ts';

/** The reason why git, or this code, refused. Callers and tests depend on these values. */
type GitReason =
  | GitCause
  | 'git_too_old'
  | 'not_a_repository'
  /** A lock file exists, either of a running git or of one that was killed. */
  | 'locked_by_git'
  | 'identity_missing'
  | 'signing_failed'
  | 'hook_refused'
  | 'timed_out'
  | 'git_failed'
  /** A commit, branch or ref doesn't exist. */
  | 'missing'
  | 'ref_taken'
  | 'unreadable_file'
  | 'unrelated_histories'
  | 'conflict'
  | 'nothing_to_merge'
  | 'merge_under_way'
  | 'dirty'
  | 'base_behind'
  | 'base_moved'
  /** The base lacks commits that the session got from it. */
  | 'base_rewound'
  | 'base_ambiguous'
  | 'checkout_blocked'
  | 'branch_elsewhere'
  | 'verify_failed'
  | 'worktree_locked'
  | 'work_not_saved'
  /** The work is not the work that the user has agreed to. */
  | 'work_changed'
  /** The work contains a key of the user. */
  | 'known_key'
  | 'rejected'
  | 'no_remote'
  | 'invalid_state';

export interface Refusal {
  readonly kind: 'refused';
  readonly why: GitReason;
  /** A message for people that explains the refusal and names the next step. */
  readonly message: string;
  /** The files that caused the refusal, relative to the top of the repository. */
  readonly files: readonly string[];
}

export const refused = (why: GitReason, message: string, files: readonly string[] = []): Refusal => ({
  kind: 'refused',
  why,
  message,
  files,
});

/** Returns the last lines of git's output. */
export const tail = (text: string): string => text.trim().split('\n').slice(-20).join('\n').slice(-4_000);

function ageOf(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1000));
  if (seconds < 120) return `${seconds} s`;
  return seconds < 7_200 ? `${Math.round(seconds / 60)} min` : `${Math.round(seconds / 3_600)} h`;
}

/**
 * Describes the lock file with its age. It is never removed here, since there is no way to tell whether its git process
 * still works.
 */
async function lockedBy(file: string): Promise<Refusal> {
  const found = await stat(file).catch(() => null);
  const since = found === null ? 'it no longer exists' : `it is ${ageOf(Date.now() - found.mtimeMs)} old`;
  const message = `another git process uses this repository, or a killed one has left its lock file ${file} (${since}). Try again; if no git process is running, remove that file`;
  return refused('locked_by_git', message);
}

/** Maps git's English messages (see `GIT_ENV`) to reasons and explanations. The first match counts. */
const MEANINGS: readonly (readonly [RegExp, GitReason, string])[] = [
  [
    /Please tell me who you are|empty ident name|unable to auto-detect email|user\.useConfigOnly|no (?:email|name) was given/,
    'identity_missing',
    'git does not know the author of the commit; set user.name and user.email with git config',
  ],
  [
    /gpg failed to sign|failed to sign|cannot run gpg|gpg: .*failed|couldn't (?:load|find) .*key|user\.signingKey/i,
    'signing_failed',
    'signing the commit failed (commit.gpgsign is set); make the key available, or turn signing off',
  ],
  [/not a git repository|must be run in a work tree/, 'not_a_repository', 'there is no git repository here'],
  [
    /not something we can merge|unknown revision|bad revision|Not a valid (?:object|commit) name|bad object/,
    'missing',
    'git does not know the commit',
  ],
  [/refusing to merge unrelated histories/, 'unrelated_histories', 'the two have no common history'],
  [
    /Permission denied[\s\S]*adding files failed|adding files failed/,
    'unreadable_file',
    'a file cannot be read; make it readable, or ignore it',
  ],
  [
    /MERGE_HEAD exists|you need to resolve your current index|not concluded your merge/i,
    'merge_under_way',
    'a merge is in progress there; finish or abort it first',
  ],
  [
    /cannot lock ref .* (?:is at|but expected|reference already exists|exists; cannot create|unable to resolve)/,
    'ref_taken',
    'the ref has changed in the meantime, or its name is already in use',
  ],
];

/** Returns the lines that git itself wrote; hooks and ssh print to the same stream. */
const ownLines = (err: string): string =>
  err
    .split('\n')
    .filter((line) => /^(?:fatal|error): /.test(line))
    .join('\n');

/** Explains why a git command failed. The message begins with `doing`, which says what did not happen. */
export async function whyFailed({ code, out, err }: GitAnswer, doing: string): Promise<Refusal> {
  const said = tail(err === '' ? out : err);
  const lock = LOCK_FILE.exec(err)?.[1];
  if (lock !== undefined) return lockedBy(lock);
  if (code === null) return refused('timed_out', `${doing}: ${said}`);
  const own = ownLines(err);
  const [, why, meaning] =
    MEANINGS.find(([pattern]) => pattern.test(err)) ?? GIT_CAUSES.find(([pattern]) => pattern.test(own)) ?? [];
  return why === undefined ? refused('git_failed', `${doing}: ${said}`) : refused(why, `${doing}: ${meaning}\n${said}`);
}

/**
 * Explains why `git commit` failed. Without a known reason and without a `fatal:` in its last line, a hook most likely
 * refused.
 */
export async function whyNoCommit(answer: GitAnswer, doing: string): Promise<Refusal> {
  const failure = await whyFailed(answer, doing);
  const gaveUp = /^fatal: /.test(answer.err.trim().split('\n').at(-1) ?? '');
  if (failure.why !== 'git_failed' || gaveUp) return failure;
  return refused('hook_refused', `${doing}; ${rejectedByHook(tail(answer.err))}`);
}
