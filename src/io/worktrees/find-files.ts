import { lstat, readlink } from 'node:fs/promises';
import path from 'node:path';
import picomatch from 'picomatch';
import type { WorkFound, WorkKind } from '#protocol/worktree.ts';
import type { Git } from '../git/git.ts';
import { isInside } from '../safe-path.ts';
import { sameContent } from '../worktree-guard/same-content.ts';
import { hiddenChanges } from './hidden-changes.ts';
import { readStatus } from './read-status.ts';

const NAMED = 20;

export const foundWork = (kind: WorkKind, message: string, items: readonly string[]): WorkFound => ({
  kind,
  message,
  items: items.slice(0, NAMED),
  count: items.length,
});

const files = (count: number): string => (count === 1 ? 'file' : 'files');

/** `3 files are staged: a, b, …` */
const told = (kind: WorkKind, what: string, items: readonly string[]): readonly WorkFound[] => {
  if (items.length === 0) return [];
  const names = `${items.slice(0, 5).join(', ')}${items.length > 5 ? ', …' : ''}`;
  return [foundWork(kind, `${items.length} ${files(items.length)} ${what}: ${names}`, items)];
};

/** It can be had again from the main worktree: the same bytes, or a link to there. */
async function isOfMain(worktree: string, main: string, name: string): Promise<boolean> {
  const file = path.join(worktree, name);
  const entry = await lstat(file).catch(() => null);
  if (entry?.isSymbolicLink() !== true) return sameContent(file, path.join(main, name));
  const target = await readlink(file).catch(() => '');
  return isInside(main, path.resolve(path.dirname(file), target));
}

/** Ignored files that somebody wants to keep, by globs; what the main worktree has too is not lost. */
async function ignoredFiles(
  git: Git,
  worktree: string,
  { ignored, main }: { readonly ignored: readonly string[]; readonly main: string | null },
): Promise<readonly string[]> {
  if (ignored.length === 0) return [];
  const listed = await git(worktree, ['ls-files', '--others', '--ignored', '--exclude-standard', '-z']);
  const isAsked = picomatch([...ignored], { dot: true });
  const names = listed.out.split('\0').filter((name) => name !== '' && isAsked(name));
  const kept: string[] = [];
  for (const name of names) if (main === null || !(await isOfMain(worktree, main, name))) kept.push(name);
  return kept;
}

/** Files of a worktree that are in no commit. */
export async function findFiles(
  git: Git,
  worktree: string,
  options: { readonly ignored: readonly string[]; readonly main: string | null },
): Promise<readonly WorkFound[]> {
  const status = await readStatus(git, worktree);
  if ('failed' in status) {
    const { err, code } = status.failed;
    const message = `Git can't say what has changed in ${worktree}: ${err === '' ? `it ended with ${code ?? 'no code'}` : err}`;
    return [foundWork('unreadable', message, [])];
  }
  return [
    ...told('conflicted', 'in conflict', status.conflicted),
    ...told('staged', 'staged and not committed', status.staged),
    ...told('unstaged', 'changed and not committed', status.unstaged),
    ...told('untracked', 'that git does not track', status.untracked),
    ...told('hidden', 'changed and hidden from git', await hiddenChanges(git, worktree)),
    ...told('ignored', 'that git ignores and that are to be kept', await ignoredFiles(git, worktree, options)),
  ];
}
