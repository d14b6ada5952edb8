import type { Refused } from '#protocol/worktree.ts';
import type { GitAnswer } from '../plumbing/git.ts';

/** What git said, without the advice that is meant for its command line. */
export const said = ({ err, out, code }: GitAnswer): string => {
  const lines = (err === '' ? out : err).split('\n').filter((line) => line.trim() !== '' && !line.startsWith('hint:'));
  return lines.slice(-6).join('; ') || `it ended with ${code ?? 'no code'}`;
};

export const refused = <const Why extends string>(why: Why, message: string): Refused<Why> => ({
  kind: 'refused',
  why,
  message,
});

/** For what nobody has a better word for. */
export const gitRefused = (doing: string, answer: GitAnswer): Refused<'git_failed'> =>
  refused('git_failed', `${doing} failed: ${said(answer)}`);

export type TroubleWhy =
  'timed_out' | 'disk_full' | 'read_only' | 'path_too_long' | 'locked_by_git' | 'filter_failed' | 'git_failed';

/** By what git says in English; the first that fits. */
const TROUBLES: readonly (readonly [RegExp, TroubleWhy, next: string])[] = [
  [/No space left on device|Disk quota exceeded/i, 'disk_full', 'the disk is full: remove something, then try again'],
  [
    /file ?name too long/i,
    'path_too_long',
    'set a shorter folder for worktrees (on Windows also `git config core.longpaths true`)',
  ],
  [/\.lock': File exists/, 'locked_by_git', 'if no git is running, one was killed, and that file can be removed'],
  [/filter .* failed/, 'filter_failed', 'the program that a filter of .gitattributes names did not do its work'],
  [
    /Permission denied|Read-only file system|Operation not permitted|unable to create directory for/i,
    'read_only',
    'git may not write there',
  ],
];

/** What hindered git, as far as its words tell. */
export function gitTrouble(doing: string, answer: GitAnswer): Refused<TroubleWhy> {
  if (answer.code === null)
    return refused('timed_out', `${doing} did not end: ${said(answer)}; does a hook or a filter wait for something?`);
  const found = TROUBLES.find(([pattern]) => pattern.test(answer.err));
  return found === undefined
    ? gitRefused(doing, answer)
    : refused(found[1], `${doing} failed: ${said(answer)}: ${found[2]}`);
}
