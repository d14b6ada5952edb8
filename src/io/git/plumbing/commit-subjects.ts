import type { Git } from './git.ts';

export interface CommitSubjects {
  /** The oldest first. */
  readonly subjects: readonly string[];
  /** Older ones than these are there. */
  readonly isCut: boolean;
}

/** First lines of the newest commits that one revision has and another has not; none where git can't tell. */
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
