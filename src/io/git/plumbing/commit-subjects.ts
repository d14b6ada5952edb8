import type { Git } from './git.ts';

interface CommitSubjects {
  /** The subject lines of commits, the oldest first. */
  readonly subjects: readonly string[];
  /** True if the subjects of older commits were left out. */
  readonly isCut: boolean;
}

/**
 * Returns the subjects of the newest commits that are in `to` but not in `from`, at most `most`. The list is empty if
 * git fails.
 */
export async function commitSubjects(
  git: Git,
  directory: string,
  { from, to, most }: { readonly from: string; readonly to: string; readonly most: number },
): Promise<CommitSubjects> {
  const args = ['log', '--no-show-signature', '--encoding=UTF-8', '--format=%s', `--max-count=${String(most + 1)}`];
  const { ok, out } = await git(directory, [...args, `${from}..${to}`, '--']);
  const newest = ok ? out.split('\n').filter((line) => line !== '') : [];
  return { subjects: newest.slice(0, most).reverse(), isCut: newest.length > most };
}
