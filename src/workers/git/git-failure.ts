import type { JsonObject } from '#protocol/json.ts';
import { type GitProblem, gitProblem } from './git-codes.ts';

/** The last lines of what git said. */
export const tail = (text: string): string => text.trim().split('\n').slice(-20).join('\n').slice(-4_000);

export const isLocked = (text: string): boolean => /\.lock': File exists/.test(text);

/** When git itself gives up it says so last; a hook may say what it likes. */
const gaveUp = (text: string): boolean => /^fatal: /.test(text.trim().split('\n').at(-1) ?? '');

/** What a call of git's that failed means. `mayBeHook`: without its hooks it would have worked, as far as that can be told. */
export function failureOf(text: string, mayBeHook: boolean): GitProblem {
  const data: JsonObject = { output: tail(text) };
  if (isLocked(text))
    return gitProblem(
      'index_locked',
      `another git works in this repository, or one that was cut off has left its lock (then remove the file that git names, when no git runs):\n${tail(text)}`,
      data,
    );
  return mayBeHook && !gaveUp(text)
    ? gitProblem(
        'hook_refused',
        `git did not commit; most likely a hook of the repository refused it:\n${tail(text)}`,
        data,
      )
    : gitProblem('git_failed', tail(text), data);
}
