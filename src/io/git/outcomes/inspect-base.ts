import type { Git } from '../plumbing/git.ts';
import { commitOf, lineOf } from '../plumbing/quiet-git.ts';
import { type Refusal, refused } from '../plumbing/refusal.ts';

export interface BaseRules {
  /** True to merge even if the base lacks commits of its remote. */
  readonly allowBehind?: boolean;
}

interface SoundBase {
  readonly kind: 'sound';
  readonly commit: string;
}

/** Returns the commit of a base, or refuses if it is missing, or behind its remote as of the last fetch. */
export async function inspectBase(
  git: Git,
  repository: string,
  base: string,
  { allowBehind = false }: BaseRules = {},
): Promise<SoundBase | Refusal> {
  const commit = await commitOf(git, repository, `refs/heads/${base}`);
  if (commit === null)
    return refused(
      'missing',
      `there is no branch ${base} here. Create it with \`git branch ${base} <commit>\`, or choose another with ` +
        '`robosmith sessions change --base <branch>`, then merge again',
    );
  const ref = `refs/heads/${base}`;
  const upstream = lineOf(await git(repository, ['for-each-ref', '--format=%(upstream)', ref]));
  if (upstream === '') return { kind: 'sound', commit };
  const behind = await git(repository, ['rev-list', '--count', `${ref}..${upstream}`, '--']);
  const count = behind.ok ? Number(lineOf(behind)) : 0;
  if (count === 0 || allowBehind) return { kind: 'sound', commit };
  return refused(
    'base_behind',
    `${base} lacks ${count} ${count === 1 ? 'commit' : 'commits'} of its remote branch. Pull, and merge again`,
  );
}
