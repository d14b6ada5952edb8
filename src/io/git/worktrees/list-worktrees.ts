import { stat } from 'node:fs/promises';
import path from 'node:path';
import type { ListedWorktree, WorktreeRefusal } from '#protocol/worktree.ts';
import type { Git } from '../plumbing/git.ts';
import { gitRefused } from './git-refusal.ts';

type Entry = Omit<ListedWorktree, 'isThere'>;

const NO_COMMIT = /^0+$/;
const HEADS = 'refs/heads/';

const shortBranch = (ref: string): string => (ref.startsWith(HEADS) ? ref.slice(HEADS.length) : ref);

/**
 * Parses one entry of git's list of worktrees; each field is `key` or `key value`. The entry with index 0 is the main
 * worktree.
 */
function readEntry(fields: readonly string[], index: number): Entry {
  const found = new Map(
    fields.map((field) => {
      const [key = '', ...value] = field.split(' ');
      return [key, value.join(' ')] as const;
    }),
  );
  const head = found.get('HEAD') ?? null;
  const branch = found.get('branch');
  return {
    path: path.normalize(found.get('worktree') ?? ''),
    isMain: index === 0,
    head: head === null || NO_COMMIT.test(head) ? null : head,
    branch: branch === undefined ? null : shortBranch(branch),
    isDetached: found.has('detached'),
    isBare: found.has('bare'),
    locked: found.get('locked') ?? null,
    prunable: found.get('prunable') ?? null,
  };
}

/**
 * Parses the output of `git worktree list --porcelain -z`: each field ends with NUL, and each entry with one more NUL.
 */
const parseWorktrees = (text: string): readonly Entry[] =>
  text
    .split('\0\0')
    .filter((entry) => entry !== '')
    .map((entry, index) => readEntry(entry.split('\0'), index));

interface WorktreeListing {
  readonly kind: 'listed';
  readonly worktrees: readonly ListedWorktree[];
}

/** Returns the path of the main worktree; null in a bare repository. */
export const mainCheckout = ([main]: readonly ListedWorktree[]): string | null =>
  main === undefined || main.isBare ? null : main.path;

/** Lists all worktrees that git has registered for a repository, the main one first. */
export async function listWorktrees(
  git: Git,
  repository: string,
): Promise<WorktreeListing | WorktreeRefusal<'git_failed'>> {
  const answer = await git(repository, ['worktree', 'list', '--porcelain', '-z']);
  if (!answer.ok) return gitRefused('git worktree list', answer);
  const worktrees = parseWorktrees(answer.out).map(async (entry) => {
    const found = await stat(entry.path).catch(() => null);
    return { ...entry, isThere: found?.isDirectory() === true };
  });
  return { kind: 'listed', worktrees: await Promise.all(worktrees) };
}
