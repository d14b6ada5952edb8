import { mkdtemp, realpath } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { gitFolder, type GitFolder, newRepository } from './git-folder.ts';

export interface MainAndWork {
  /** All of it is below this folder, which the test removes. */
  readonly base: string;
  readonly main: GitFolder;
  readonly work: GitFolder;
}

/** A repository on `main` with these files in its one commit, `one`, and the worktree of a session on the branch `work` of it. */
export async function newMainAndWork(files: Readonly<Record<string, string>>, place = 'w'): Promise<MainAndWork> {
  const base = await realpath(await mkdtemp(path.join(tmpdir(), 'robosmith-work-')));
  const main = newRepository(path.join(base, 'r'));
  for (const [name, content] of Object.entries(files)) main.put(name, content);
  main.commit('one');
  main.git('worktree', 'add', '-q', '-b', 'work', path.join(base, place));
  return { base, main, work: gitFolder(path.join(base, place)) };
}
