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
      `${main ?? common} is inside the repository ${nestedIn}, which will treat worktrees beside it as its own files`,
    );
  if (submodules.length > 0)
    say(
      'submodules',
      `A new worktree lacks the files of the submodules ${submodules.join(', ')}. ` +
        'To check them out, add ["git", "submodule", "update", "--init"] to "setup" in the manifest\'s "worktree" section',
    );
  if (isShallow)
    say(
      'shallow',
      'The repository is shallow, so merges may lack the common history. Fetch it with `git fetch --unshallow`',
    );
  if (operation !== null)
    say(
      'under_way',
      `A ${operation} is in progress in ${main ?? common}. Sessions can't be merged there until it has ended (\`${howToAbort(operation)}\` aborts it)`,
    );
  for (const { file, ageMs } of locks)
    say('locked_by_git', `The lock file ${file} is ${ageText(ageMs)} old. If no git process is running, remove it`);
  return notes;
}
