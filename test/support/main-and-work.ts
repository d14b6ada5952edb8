import { mkdtemp, realpath } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { gitFolder, type GitFolder, newRepository } from './git-folder.ts';

export interface MainAndWork {
  /** The folder that contains both; the test removes it. */
  readonly base: string;
  readonly main: GitFolder;
  readonly work: GitFolder;
}

/**
 * Creates a repository on `main` with the files in a single commit `one`, and a session's worktree on its branch
 * `work`.
 */
export async function newMainAndWork(files: Readonly<Record<string, string>>, place = 'w'): Promise<MainAndWork> {
  const base = await realpath(await mkdtemp(path.join(tmpdir(), 'robosmith-work-')));
  const main = newRepository(path.join(base, 'r'));
  for (const [name, content] of Object.entries(files)) main.put(name, content);
  main.commit('one');
  main.git('worktree', 'add', '-q', '-b', 'work', path.join(base, place));
  return { base, main, work: gitFolder(path.join(base, place)) };
}
