import type { WorktreeRefusal } from '#protocol/worktree.ts';
import { GIT_CAUSES, type GitCause, LOCK_FILE } from '../plumbing/git-causes.ts';
import type { GitAnswer } from '../plumbing/git.ts';

/** Returns the last lines of git's output, without the lines that begin with `hint:`. */
export const lastLines = ({ err, out, code }: GitAnswer): string => {
  const lines = (err === '' ? out : err).split('\n').filter((line) => line.trim() !== '' && !line.startsWith('hint:'));
  return lines.slice(-6).join('; ') || `it ended with exit code ${code ?? 'unknown'}`;
};

export const refused = <const Why extends string>(why: Why, message: string): WorktreeRefusal<Why> => ({
  kind: 'refused',
  why,
  message,
});

/** Refuses with git's own output, for failures without a more specific reason. */
export const gitRefused = (doing: string, answer: GitAnswer): WorktreeRefusal<'git_failed'> =>
  refused('git_failed', `${doing} failed: ${lastLines(answer)}`);

export type GitTroubleReason = GitCause | 'timed_out' | 'locked_by_git' | 'git_failed';

const KILLED = 'if no git process is running, remove that file';

/** Explains why git failed, as far as its output tells. */
export function gitTrouble(doing: string, answer: GitAnswer): WorktreeRefusal<GitTroubleReason> {
  if (answer.code === null)
    return refused(
      'timed_out',
      `${doing} did not end: ${lastLines(answer)}. Check whether a hook or a filter waits for input`,
    );
  const because = <Why extends GitTroubleReason>(why: Why, next: string) =>
    refused(why, `${doing} failed: ${lastLines(answer)}: ${next}`);
  if (LOCK_FILE.test(answer.err)) return because('locked_by_git', KILLED);
  const [, cause, next] = GIT_CAUSES.find(([pattern]) => pattern.test(answer.err)) ?? [];
  return cause === undefined || next === undefined ? gitRefused(doing, answer) : because(cause, next);
}
