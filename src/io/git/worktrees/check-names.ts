import type { Note, WorktreeRefusal } from '#protocol/worktree.ts';
import { foldName, ignoresCase } from '../../files/ignores-case.ts';
import type { Git } from '../plumbing/git.ts';
import { refused } from './git-refusal.ts';

/** The longest path on Windows in characters: MAX_PATH without the terminating NUL. */
const LONGEST_ON_WINDOWS = 259;

/** Returns the first two names that differ only in case; null if there are none. */
function firstTwins(names: readonly string[]): readonly [string, string] | null {
  const known = new Map<string, string>();
  for (const name of names) {
    const folded = foldName(name);
    const other = known.get(folded);
    if (other !== undefined) return [other, name];
    known.set(folded, name);
  }
  return null;
}

/**
 * Returns a note if two names differ only in case. On a case-insensitive file system both names refer to one file, so
 * git reports the other file as changed.
 */
export function caseNote(names: readonly string[]): readonly Note<'case_twins'>[] {
  const twins = firstTwins(names);
  if (twins === null) return [];
  const message = `The file system treats ${twins.join(' and ')} as the same file, so git will show a change that nobody made`;
  return [{ why: 'case_twins', message }];
}

/** Returns a refusal if a path would be too long for Windows; null if all paths fit. */
export function tooLong(place: string, names: readonly string[]): WorktreeRefusal<'path_too_long'> | null {
  const longest = names.reduce((a, b) => (b.length > a.length ? b : a), '');
  const length = place.length + 1 + longest.length;
  if (length <= LONGEST_ON_WINDOWS) return null;
  return refused(
    'path_too_long',
    `In ${place} the path of ${longest} would have ${length} characters, but Windows allows ${LONGEST_ON_WINDOWS}. ` +
      'Set a shorter folder for worktrees, or allow long paths with `git config core.longpaths true`',
  );
}

/**
 * Checks whether the file system can represent the names of all files of a commit at this place. `folder` is an
 * existing folder on the same disk.
 */
export async function checkNames(
  git: Git,
  repository: string,
  question: {
    readonly commit: string;
    readonly place: string;
    readonly folder: string;
    readonly platform: NodeJS.Platform;
  },
): Promise<WorktreeRefusal<'path_too_long'> | readonly Note<'case_twins'>[]> {
  const { commit, place, folder, platform } = question;
  const isShort =
    platform === 'win32' && (await git(repository, ['config', '--type=bool', 'core.longpaths'])).out.trim() !== 'true';
  const isFolding = await ignoresCase(folder);
  if (!isShort && !isFolding) return [];
  const listed = await git(repository, ['ls-tree', '-r', '--name-only', '-z', commit]);
  const names = listed.out.split('\0').filter((name) => name !== '');
  return (isShort ? tooLong(place, names) : null) ?? (isFolding ? caseNote(names) : []);
}
