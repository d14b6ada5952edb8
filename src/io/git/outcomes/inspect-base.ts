import type { Git } from '../plumbing/git.ts';
import { commitOf, lineOf } from '../plumbing/quiet-git.ts';
import { type Refusal, refused } from '../plumbing/refusal.ts';

export interface BaseRules {
  /** Branches that may be changed only through pull requests. */
  readonly protectedBranches?: readonly string[];
  /** True to merge even if the base lacks commits of its remote. */
  readonly allowBehind?: boolean;
}

interface SoundBase {
  readonly kind: 'sound';
  readonly commit: string;
}

/** Returns the commit of a base, or refuses if it is missing, protected, or behind its remote as of the last fetch. */
export async function inspectBase(
  git: Git,
  repository: string,
  base: string,
  { protectedBranches = [], allowBehind = false }: BaseRules = {},
): Promise<SoundBase | Refusal> {
  const commit = await commitOf(git, repository, `refs/heads/${base}`);
  if (commit === null)
    return refused(
      'missing',
      `there is no branch ${base} here. Create it with \`git branch ${base} <commit>\`, or choose another with ` +
        '`robosmith sessions change --base <branch>`, then merge again',
    );
  if (protectedBranches.includes(base))
    return refused('base_protected', `${base} is protected. Push the session's branch and open a pull request instead`);
  const behind = await git(repository, ['rev-list', '--count', `refs/heads/${base}..${base}@{upstream}`, '--']);
  const count = behind.ok ? Number(lineOf(behind)) : 0;
  if (count === 0 || allowBehind) return { kind: 'sound', commit };
  return refused(
    'base_behind',
    `${base} lacks ${count} ${count === 1 ? 'commit' : 'commits'} of its remote branch. Pull, and merge again`,
  );
}
