import type { Git } from '../plumbing/git.ts';
import { lineOf } from '../plumbing/quiet-git.ts';
import { type Refusal, refused, whyFailed } from '../plumbing/refusal.ts';

/** The base's commit at the time when a session started from it. */
export interface ForkPoint {
  /** Full hash. */
  readonly commit: string;
  /** Milliseconds since the epoch. */
  readonly time: number;
}

interface Sides {
  readonly base: string;
  readonly branch: string;
  /** The base's commit. */
  readonly from: string;
  /** The session's commit. */
  readonly tip: string;
}

/** The maximum number of the base's reflog entries that are examined. */
const MOST_MOVES = 1_000;

const linesOf = (out: string): readonly string[] => out.split('\n').filter((line) => line !== '');

/** Returns the commits that the base has had since the session started, as far as its reflog goes. */
async function formerTips(
  git: Git,
  repository: string,
  { base, branch }: Sides,
  since: number,
): Promise<readonly string[]> {
  const ref = `refs/heads/${base}`;
  const args = ['log', '--walk-reflogs', `--max-count=${MOST_MOVES}`, '--date=unix', '--format=%H %gd %gs', ref, '--'];
  const answer = await git(repository, args);
  return linesOf(answer.ok ? answer.out : '').flatMap((line) => {
    const [, commit = '', seconds = '0', subject = ''] = /^(\S+) \S*@\{(\d+)\} ?(.*)$/.exec(line) ?? [];
    // Ignores the reflog entry of a merge of this session that a person made and has undone since.
    const isOwn = subject.startsWith(`merge ${branch}:`);
    return isOwn || Number(seconds) < Math.floor(since / 1_000) ? [] : [commit];
  });
}

/** Lists the commits that are reachable from `commit` and whose changes no commit of the base contains. */
const lackedBy = (git: Git, repository: string, from: string, commit: string) =>
  git(repository, ['rev-list', '--cherry-pick', '--right-only', '--no-merges', `${from}...${commit}`, '--']);

/**
 * Refuses a merge that would reintroduce commits that were dropped from the base since the session started, for example
 * by `git reset` or a forced push. The session has these commits because it started from them or was updated with them.
 * Commits that were only rewritten, with the same changes, don't count as dropped.
 */
export async function whyRewound(
  git: Git,
  repository: string,
  sides: Sides,
  { commit: fork, time }: ForkPoint,
): Promise<Refusal | null> {
  const { base, from, tip } = sides;
  const own = await git(repository, ['rev-list', '--topo-order', `${from}..${tip}`, '--']);
  if (!own.ok) return whyFailed(own, 'the commits of the session were not read');
  const former = new Set([fork, ...(await formerTips(git, repository, sides, time))]);
  const newest = linesOf(own.out).find((commit) => former.has(commit));
  if (newest === undefined) return null;
  const lacked = await lackedBy(git, repository, from, newest);
  if (!lacked.ok) return whyFailed(lacked, 'the commits of the base were not read');
  const count = linesOf(lacked.out).length;
  if (count === 0) return null;
  const subject = lineOf(await git(repository, ['log', '-1', '--format=%h "%s"', newest, '--']));
  const what = count === 1 ? 'a commit' : `${count} commits`;
  return refused(
    'base_rewound',
    `${base} has dropped ${what} since the session started, up to ${subject}, and the merge would bring that back. To leave it out, run ` +
      `\`git rebase --autostash --onto ${base} ${newest}\` in the worktree; to bring it back, ` +
      `run \`git merge ${newest}\` on ${base}. Then merge again`,
  );
}
