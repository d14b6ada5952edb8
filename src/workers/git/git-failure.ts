import type { JsonObject } from '#protocol/json.ts';
import { rejectedByHook } from '#protocol/git.ts';
import { type GitProblem, gitProblem } from './git-codes.ts';

/** Returns the last lines of git's output. */
export const tail = (text: string): string => text.trim().split('\n').slice(-20).join('\n').slice(-4_000);

export const isLocked = (text: string): boolean => /\.lock': File exists/.test(text);

/** Returns true if the last line is a fatal error of git itself; a hook may print anything before it. */
const gaveUp = (text: string): boolean => /^fatal: /.test(text.trim().split('\n').at(-1) ?? '');

/**
 * Classifies a failed git call by its output. `mayBeHook` is true if the commit would have succeeded without hooks, as
 * far as that is known.
 */
export function failureOf(text: string, mayBeHook: boolean): GitProblem {
  const data: JsonObject = { output: tail(text) };
  if (isLocked(text))
    return gitProblem(
      'index_locked',
      `another git process uses this repository, or a killed one has left its lock (if no git process is running, remove the file that git names):\n${tail(text)}`,
      data,
    );
  return mayBeHook && !gaveUp(text)
    ? gitProblem('hook_refused', `git did not commit; ${rejectedByHook(tail(text))}`, data)
    : gitProblem('git_failed', tail(text), data);
}
