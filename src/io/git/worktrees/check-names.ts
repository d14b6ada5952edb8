import type { Note, Refused } from '#protocol/worktree.ts';
import { foldName } from '../../files/fold-name.ts';
import type { Git } from '../plumbing/git.ts';
import { ignoresCase } from '../../files/ignores-case.ts';
import { refused } from './git-refusal.ts';

/** Windows' MAX_PATH, with its end. */
const LONGEST_ON_WINDOWS = 259;

/** The first two names that are one where case makes no difference. */
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

/** Of two files whose names differ in case only, such a file system has but one: git then shows the other as changed. */
export function caseNote(names: readonly string[]): readonly Note<'case_twins'>[] {
  const twins = firstTwins(names);
  if (twins === null) return [];
  const message = `The file system takes ${twins.join(' and ')} for one file: git will show a change that nobody made`;
  return [{ why: 'case_twins', message }];
}

/** What can't be checked out at a place on Windows; null when all can. */
export function tooLong(place: string, names: readonly string[]): Refused<'path_too_long'> | null {
  const longest = names.reduce((a, b) => (b.length > a.length ? b : a), '');
  const length = place.length + 1 + longest.length;
  if (length <= LONGEST_ON_WINDOWS) return null;
  return refused(
    'path_too_long',
    `In ${place} the path of ${longest} would have ${length} characters, and Windows takes ${LONGEST_ON_WINDOWS}: ` +
      'set a shorter folder for worktrees, or allow long paths with `git config core.longpaths true`',
  );
}

/** Can all files of a commit be what they are in this place? `folder`: one that is there, on the same disk. */
export async function checkNames(
  git: Git,
  repository: string,
  question: {
    readonly commit: string;
    readonly place: string;
    readonly folder: string;
    readonly platform: NodeJS.Platform;
  },
): Promise<Refused<'path_too_long'> | readonly Note<'case_twins'>[]> {
  const { commit, place, folder, platform } = question;
  const isShort =
    platform === 'win32' && (await git(repository, ['config', '--type=bool', 'core.longpaths'])).out.trim() !== 'true';
  const isFolding = await ignoresCase(folder);
  if (!isShort && !isFolding) return [];
  const listed = await git(repository, ['ls-tree', '-r', '--name-only', '-z', commit]);
  const names = listed.out.split('\0').filter((name) => name !== '');
  return (isShort ? tooLong(place, names) : null) ?? (isFolding ? caseNote(names) : []);
}
