import { GIT_ENV_NAMES, GIT_OUTPUT_LIMIT, gitEnvironment, IN_GIT_FOLDER, SAFE_SETTINGS } from '#protocol/git.ts';
import { RoboSmithError } from '#protocol/error.ts';
import type { Processes } from '#protocol/services.ts';
import { isOwnGitFolder } from './bare-repository.ts';

/**
 * The default timeout in milliseconds. A git process that takes longer is considered hung, for example on a hook, on a
 * lock of a network disk, or on a prompt that can't be answered.
 */
const TIMEOUT_MS = 120_000;

export interface GitAnswer {
  /** True if git ended with exit code 0. */
  readonly ok: boolean;
  /** The exit code; null if the process was killed. */
  readonly code: number | null;
  readonly out: string;
  /** What git wrote to stderr, or why it was ended, for messages. */
  readonly err: string;
}

export interface GitOptions {
  readonly input?: string;
  /** Variables that are added to those of `gitEnvironment` and override them. */
  readonly env?: Readonly<Record<string, string>>;
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal;
}

/**
 * Runs git in a directory (absolute path). Resolves to git's answer, also when git fails; throws `precondition_failed`
 * if git can't be started.
 */
export type Git = (directory: string, args: readonly string[], options?: GitOptions) => Promise<GitAnswer>;

/**
 * Matches git's error for a worktree that another git process is creating: the worktree's file `commondir` is empty for
 * a moment (`get_linked_worktree` in git's source).
 */
const HALF_MADE = /^fatal: failed to read .*worktrees\/.*\/commondir: /m;

/** Commands that read the list of worktrees before they change anything, so they can be repeated safely. */
const LOOKS_FIRST: ReadonlySet<string> = new Set(['worktree', 'branch', 'for-each-ref', 'log', 'rev-list']);

const ATTEMPTS = 10;

const verbOf = (args: readonly string[]): string => {
  const at = args.findIndex((arg, index) => !arg.startsWith('-') && args[index - 1] !== '-c');
  return args[at] ?? '';
};

/**
 * Repeats a command that failed because another git process was creating a worktree. That state lasts a moment, and the
 * failed command has changed nothing.
 */
const pastHalfMade =
  (git: Git): Git =>
  async (directory, args, options) => {
    let answer = await git(directory, args, options);
    for (let left = ATTEMPTS; left > 1 && HALF_MADE.test(answer.err) && LOOKS_FIRST.has(verbOf(args)); left -= 1)
      answer = await git(directory, args, options);
    return answer;
  };

/** Creates a function that runs git. The whole process tree, including hooks, ends on timeout or abort. */
export function createGit(processes: Processes): Git {
  return pastHalfMade(async (directory, args, { input, env = {}, timeoutMs = TIMEOUT_MS, signal } = {}) => {
    let err = '';
    const settings = (await isOwnGitFolder(directory)) ? IN_GIT_FOLDER : SAFE_SETTINGS;
    const { ended, exitCode, output, error } = await processes.run(
      {
        argv: ['git', ...settings, ...args],
        cwd: directory,
        env: { ...gitEnvironment(verbOf(args)), ...env },
        envNames: GIT_ENV_NAMES,
        outputLimit: GIT_OUTPUT_LIMIT,
        stderr: 'apart',
        timeoutMs,
        ...(input === undefined ? {} : { input }),
      },
      signal ?? new AbortController().signal,
      undefined,
      undefined,
      (text) => (err += text),
    );
    if (ended === 'not_started')
      throw new RoboSmithError('precondition_failed', `git did not start: ${error ?? 'unknown reason'}`);
    if (ended === 'timed_out') err += `git ${verbOf(args)} took longer than ${timeoutMs / 1000} s and was stopped`;
    return { ok: exitCode === 0, code: exitCode, out: output, err: err.trimEnd() };
  });
}
