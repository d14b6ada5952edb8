import { RoboSmithError } from '#protocol/error.ts';
import type { Services } from '#protocol/services.ts';

interface GitAnswer {
  readonly ok: boolean;
  readonly text: string;
}

interface GitCall {
  readonly args: readonly string[];
  readonly input?: string;
  /** The output is read: what git warns of is left out of it. */
  readonly isRead?: boolean;
}

export type Git = (call: GitCall) => Promise<GitAnswer>;

/** It speaks English and asks nobody; a file's name is no pattern; looking changes nothing. */
const ENV: Readonly<Record<string, string>> = {
  LANGUAGE: 'en',
  GIT_TERMINAL_PROMPT: '0',
  GIT_EDITOR: ':',
  GIT_OPTIONAL_LOCKS: '0',
  GIT_LITERAL_PATHSPECS: '1',
};

/** Who commits, how it is signed, and where git's own settings are. */
const ENV_NAMES: readonly string[] = [
  ...['GIT_AUTHOR_NAME', 'GIT_AUTHOR_EMAIL', 'GIT_COMMITTER_NAME', 'GIT_COMMITTER_EMAIL', 'EMAIL'],
  ...['GIT_CONFIG_GLOBAL', 'GIT_CONFIG_SYSTEM', 'GIT_CONFIG_NOSYSTEM', 'GIT_CEILING_DIRECTORIES'],
  ...['SSH_AUTH_SOCK', 'GNUPGHOME'],
];

/** The list of all files of a big repository, in characters. */
const OUTPUT_LIMIT = 64 * 1024 * 1024;

/** The project's own git, in the directory of the run. */
export function gitIn({ processes }: Services, worktree: string | null, signal: AbortSignal): Git {
  if (processes === null || worktree === null)
    throw new RoboSmithError('precondition_failed', 'no processes here: this run has no directory to work in');
  return async ({ args, input, isRead = false }) => {
    const { ended, exitCode, output, error } = await processes.run(
      {
        argv: ['git', ...args],
        cwd: worktree,
        env: ENV,
        envNames: ENV_NAMES,
        outputLimit: OUTPUT_LIMIT,
        ...(input === undefined ? {} : { input }),
        ...(isRead ? { stderr: 'ignored' as const } : {}),
      },
      signal,
    );
    if (ended === 'not_started')
      throw new RoboSmithError('precondition_failed', `git did not start: ${error ?? 'unknown reason'}`);
    if (ended !== 'exited') throw new Error(`git ${args[0] ?? ''} was ended before it was done`);
    return { ok: exitCode === 0, text: output };
  };
}
