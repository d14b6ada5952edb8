import { GIT_ENV_NAMES, GIT_OUTPUT_LIMIT, gitEnvironment, IN_GIT_FOLDER, SAFE_SETTINGS } from '#protocol/git.ts';
import { RoboSmithError } from '#protocol/error.ts';
import type { Processes } from '#protocol/services.ts';
import { isOwnGitFolder } from './bare-repository.ts';

/** A git that takes longer hangs: on a hook, a lock of a network disk, a question that nobody can answer. */
const TIMEOUT_MS = 120_000;

export interface GitAnswer {
  /** It ended with 0. */
  readonly ok: boolean;
  /** Null when it was killed. */
  readonly code: number | null;
  readonly out: string;
  /** What it said on stderr, or why it was ended; for people. */
  readonly err: string;
}

export interface GitOptions {
  readonly input?: string;
  /** Over git's own settings of `protocol/git.ts`. */
  readonly env?: Readonly<Record<string, string>>;
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal;
}

/** Git in a directory (absolute). Ends with its answer whatever git says; `precondition_failed` when there is no git. */
export type Git = (directory: string, args: readonly string[], options?: GitOptions) => Promise<GitAnswer>;

/** Another git is just making a worktree: its file is there, and empty for a moment (git's `get_linked_worktree`). */
const HALF_MADE = /^fatal: failed to read .*worktrees\/.*\/commondir: /m;

/** They look at all worktrees before they do anything. */
const LOOKS_FIRST: ReadonlySet<string> = new Set(['worktree', 'branch', 'for-each-ref', 'log', 'rev-list']);

const ATTEMPTS = 10;

const verbOf = (args: readonly string[]): string => {
  const at = args.findIndex((arg, index) => !arg.startsWith('-') && args[index - 1] !== '-c');
  return args[at] ?? '';
};

/** Asks again what found another git in the middle of making a worktree: that is over in a moment, and nothing was done. */
const pastHalfMade =
  (git: Git): Git =>
  async (directory, args, options) => {
    let answer = await git(directory, args, options);
    for (let left = ATTEMPTS; left > 1 && HALF_MADE.test(answer.err) && LOOKS_FIRST.has(verbOf(args)); left -= 1)
      answer = await git(directory, args, options);
    return answer;
  };

/** Git as a process whose whole tree, hooks too, ends with its time limit or its signal. */
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
    if (ended === 'timed_out') err += `git ${verbOf(args)} took longer than ${timeoutMs / 1000} s and was ended`;
    return { ok: exitCode === 0, code: exitCode, out: output, err: err.trimEnd() };
  });
}
