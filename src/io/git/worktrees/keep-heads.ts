import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import type { Git } from '../plumbing/git.ts';
import { DISCARDED, HEADS, RESCUE } from '../plumbing/kept-refs.ts';
import { commitOf, lineOf, moveRef } from '../plumbing/quiet-git.ts';
import { type Refusal, whyFailed } from '../plumbing/refusal.ts';
import { makeCommit } from '../plumbing/snapshot.ts';

/** Refs that outlive a worktree. Snapshots of steps and the refs of a merge in progress don't. */
const LASTING = ['--branches', '--tags', '--remotes', ...[DISCARDED, RESCUE, HEADS].map((ref) => `--glob=${ref}*`)];

/** The repositories of submodules, and the index, which contains no commits of this repository. */
const NO_COMMITS = /^(?:modules|index.*|FETCH_HEAD)$/;

const HASH = /\b(?:[0-9a-f]{64}|[0-9a-f]{40})\b/g;

/** The number of parents of one commit, which have to fit into one command line. */
const MOST_PARENTS = 100;

/**
 * Collects all hashes in the files of a worktree's entry: in the reflog of its HEAD, and in the state of a rebase,
 * bisect, merge or sequence of picks.
 */
async function hashesIn(folder: string, found: Set<string>): Promise<ReadonlySet<string>> {
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    const place = path.join(folder, entry.name);
    if (NO_COMMITS.test(entry.name)) continue;
    if (entry.isDirectory()) await hashesIn(place, found);
    else if (entry.isFile()) for (const [hash] of (await readFile(place, 'latin1')).matchAll(HASH)) found.add(hash);
  }
  return found;
}

async function commitsAmong(git: Git, repository: string, hashes: readonly string[]): Promise<readonly string[]> {
  const input = hashes.map((hash) => `${hash}\n`).join('');
  const { out } = await git(repository, ['cat-file', '--batch-check=%(objecttype) %(objectname)'], { input });
  return out.split('\n').flatMap((line) => (line.startsWith('commit ') ? line.slice('commit '.length) : []));
}

/** The commits that no lasting ref reaches, and those of them from which all others are reachable. */
interface Unreached {
  readonly all: readonly string[];
  readonly heads: readonly string[];
}

async function unreached(git: Git, repository: string, commits: readonly string[]): Promise<Unreached> {
  const input = commits.map((commit) => `${commit}\n`).join('');
  const answer = await git(repository, ['rev-list', '--children', '--stdin', '--not', ...LASTING], { input });
  // A history with missing objects can't be walked. Then each commit is kept by itself.
  if (!answer.ok) return { all: commits, heads: commits };
  const lines = answer.out.split('\n').filter((line) => line !== '');
  return {
    all: lines.map((line) => line.split(' ')[0] ?? ''),
    heads: lines.filter((line) => !line.includes(' ')),
  };
}

/** Creates commits that have all heads as ancestors, and returns the last of them. */
async function joined(git: Git, repository: string, { all, heads }: Unreached, name: string) {
  const [first = ''] = heads;
  const count = `${String(all.length)} ${all.length === 1 ? 'commit' : 'commits'}`;
  let commit: string | Refusal = '';
  for (let at = 0; at < heads.length && typeof commit === 'string'; at += MOST_PARENTS) {
    const parents = [...heads.slice(at, at + MOST_PARENTS), ...(commit === '' ? [] : [commit])];
    commit = await makeCommit(
      git,
      repository,
      `${first}^{tree}`,
      parents,
      `robosmith: ${count} of ${name} on no branch`,
    );
  }
  return commit;
}

/** The commits of a worktree that would be reachable by nothing once it is removed, and the ref that keeps them. */
export interface KeptHeads {
  readonly ref: string;
  readonly count: number;
}

/**
 * Keeps every commit that the HEAD of a worktree has ever been on, and those that its unfinished operations name, under
 * a ref unless a lasting ref has them. Must be called before a worktree's entry is removed, because its reflog is
 * removed with it. `entry` is the worktree's folder in the repository; `name` begins the name of the ref. Returns null
 * if nothing had to be kept.
 */
export async function keepHeads(
  git: Git,
  { repository, entry, name, more = [] }: HeadsQuestion,
): Promise<KeptHeads | null | Refusal> {
  const hashes = new Set(more);
  if (entry !== null) await hashesIn(entry, hashes);
  const commits = hashes.size === 0 ? [] : await commitsAmong(git, repository, [...hashes]);
  if (commits.length === 0) return null;
  const left = await unreached(git, repository, commits);
  if (left.heads.length === 0) return null;
  const commit = await joined(git, repository, left, name);
  if (typeof commit !== 'string') return commit;
  const ref = `${HEADS}${name}-${commit.slice(0, 12)}`;
  const moved = await moveRef(git, repository, ref, commit, await commitOf(git, repository, ref), 'on no branch');
  return moved.ok
    ? { ref, count: left.all.length }
    : whyFailed(moved, 'nothing was removed, because the commits that are on no branch could not be saved');
}

interface HeadsQuestion {
  readonly repository: string;
  readonly entry: string | null;
  readonly name: string;
  /** Commits that are not named in the entry. */
  readonly more?: readonly string[];
}

/** Says that commits are kept, and how a person finds them. */
export const keptHeadsText = ({ ref, count }: KeptHeads): string =>
  `${String(count)} ${count === 1 ? 'commit that is' : 'commits that are'} on no branch ${count === 1 ? 'is' : 'are'} kept for 30 days: \`git log ${ref}\` lists ${count === 1 ? 'it' : 'them'}`;

/** Returns the refs that keep commits of a session's worktrees which were on no branch. */
export async function keptHeadsOf(git: Git, repository: string, session: string): Promise<readonly string[]> {
  const answer = await git(repository, ['for-each-ref', '--format=%(refname)', `${HEADS}${session}-*`]);
  return answer.ok
    ? lineOf(answer)
        .split('\n')
        .filter((ref) => ref !== '')
    : [];
}
