import type { Note } from '#protocol/worktree.ts';
import { ageText, howToAbort } from './git-state.ts';
import type { Repository } from './repository.ts';

export type RepositoryNote = 'nested' | 'submodules' | 'shallow' | 'under_way' | 'locked_by_git';

/** Returns notes on conditions that don't prevent a session but that a person should know. */
export function notesOn(repository: Repository): readonly Note<RepositoryNote>[] {
  const { nestedIn, submodules, isShallow, operation, locks, main, common } = repository;
  const notes: Note<RepositoryNote>[] = [];
  const say = (why: RepositoryNote, message: string): void => void notes.push({ why, message });
  if (nestedIn !== null)
    say(
      'nested',
      `${main ?? common} lies in the repository ${nestedIn}, which will see worktrees beside it as its own files`,
    );
  if (submodules.length > 0)
    say(
      'submodules',
      `A new worktree has none of the files of the submodules ${submodules.join(', ')}; ` +
        '["git", "submodule", "update", "--init"] in "setup" of the manifest\'s "worktree" section brings them',
    );
  if (isShallow)
    say('shallow', 'The repository is shallow: merges may lack the common history; `git fetch --unshallow` brings it');
  if (operation !== null)
    say(
      'under_way',
      `A ${operation} is under way in ${main ?? common}: a session can't be merged there before it has ended (\`${howToAbort(operation)}\` gives it up)`,
    );
  for (const { file, ageMs } of locks)
    say(
      'locked_by_git',
      `${file} is there since ${ageText(ageMs)}: if no git is running, one was killed, and the file can be removed`,
    );
  return notes;
}
