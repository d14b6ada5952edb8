import { stat } from 'node:fs/promises';
import type { Git } from './git.ts';
import { type Refusal, whyFailed } from './refusal.ts';

export interface Checkout {
  readonly path: string;
  /** The full name of the ref; null if HEAD is detached. */
  readonly ref: string | null;
  /** The reason that `git worktree lock` was given, which may be empty; null if the worktree isn't locked. */
  readonly locked: string | null;
  /** True if the worktree's folder exists. */
  readonly isHere: boolean;
}

/** Lists all worktrees of a repository, the main one first. */
export async function checkouts(git: Git, repository: string): Promise<readonly Checkout[] | Refusal> {
  const answer = await git(repository, ['worktree', 'list', '--porcelain', '-z']);
  if (!answer.ok) return whyFailed(answer, "can't list the worktrees");
  const found: Checkout[] = [];
  for (const entry of answer.out.split('\0\0').filter((one) => one !== '')) {
    const valueOf = (key: string): string | null => {
      const field = entry.split('\0').find((one) => one === key || one.startsWith(`${key} `));
      return field === undefined ? null : field.slice(key.length + 1);
    };
    if (valueOf('bare') !== null) continue;
    const place = valueOf('worktree') ?? '';
    const isHere = (await stat(place).catch(() => null))?.isDirectory() === true;
    found.push({ path: place, ref: valueOf('branch'), locked: valueOf('locked'), isHere });
  }
  return found;
}
