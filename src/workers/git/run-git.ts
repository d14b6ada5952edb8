import { GIT_ENV_NAMES, GIT_OUTPUT_LIMIT, gitEnvironment, SAFE_SETTINGS } from '#protocol/git.ts';
import { RoboSmithError } from '#protocol/error.ts';
import type { Services } from '#protocol/services.ts';

interface GitAnswer {
  readonly ok: boolean;
  readonly text: string;
}

interface GitCall {
  readonly args: readonly string[];
  readonly input?: string;
  /** True if the output is parsed. The result then excludes git's warnings on stderr. */
  readonly isRead?: boolean;
}

export type Git = (call: GitCall) => Promise<GitAnswer>;

/** Returns a function that runs git in the run's directory. */
export function gitIn({ processes }: Services, worktree: string | null, signal: AbortSignal): Git {
  if (processes === null || worktree === null)
    throw new RoboSmithError(
      'precondition_failed',
      "this run can't start processes, because it has no directory to work in",
    );
  return async ({ args, input, isRead = false }) => {
    const { ended, exitCode, output, error } = await processes.run(
      {
        argv: ['git', ...SAFE_SETTINGS, ...args],
        cwd: worktree,
        env: gitEnvironment(args[0] ?? ''),
        envNames: GIT_ENV_NAMES,
        outputLimit: GIT_OUTPUT_LIMIT,
        ...(input === undefined ? {} : { input }),
        ...(isRead ? { stderr: 'ignored' as const } : {}),
      },
      signal,
    );
    if (ended === 'not_started')
      throw new RoboSmithError('precondition_failed', `git did not start: ${error ?? 'unknown reason'}`);
    if (ended !== 'exited') throw new Error(`git ${args[0] ?? ''} was stopped before it had finished`);
    return { ok: exitCode === 0, text: output };
  };
}
