import { type ConflictHunk, conflictHunks } from './conflict-hunks.ts';
import type { Git } from './git.ts';
import { type MergeMessage, readMerges, type TreeMerge } from './merge-tree-output.ts';
import { lineOf } from './quiet-git.ts';
import { type Refusal, refused, whyFailed } from './refusal.ts';
import { STATE_FILE } from './state-file.ts';

/** The minor versions of git 2 that introduced `merge-tree --write-tree` (2.38) and its `--stdin` (2.39). */
const MERGE_TREE_SINCE = 38;

const BATCHES_SINCE = 39;

/**
 * Returns how this git version can merge without a checkout: many pairs per process (`batch`), or one pair per process
 * (`single`).
 */
async function mergeTreeMode(git: Git, directory: string): Promise<'batch' | 'single' | Refusal> {
  const { out } = await git(directory, ['version']);
  const [, major = '0', minor = '0'] = /version (\d+)\.(\d+)/.exec(out) ?? [];
  const number = Number(major) > 2 ? Infinity : Number(major) < 2 ? 0 : Number(minor);
  if (number >= BATCHES_SINCE) return 'batch';
  if (number >= MERGE_TREE_SINCE) return 'single';
  return refused(
    'git_too_old',
    `comparing sessions needs git 2.${MERGE_TREE_SINCE} or later, but this is ${out.trim() || 'an unknown version'}. Install a newer git`,
  );
}

/** Two revisions to be merged: commits of branches, or snapshots. */
export interface MergePair {
  readonly ours: string;
  readonly theirs: string;
}

export type MergeVerdict =
  | { readonly kind: 'clean'; readonly tree: string }
  | {
      readonly kind: 'conflict';
      readonly files: readonly string[];
      readonly messages: readonly MergeMessage[];
      readonly hunks: readonly ConflictHunk[];
    }
  | Refusal;

interface CachedMerge extends MergePair {
  readonly verdict: MergeVerdict;
}

/**
 * The cached results of merges in one repository. The result for two trees is valid for all commits with these trees
 * and the same merge bases.
 */
export interface ProbeCache {
  readonly byCommits: Map<string, MergeVerdict>;
  readonly byTrees: Map<string, readonly CachedMerge[]>;
}

export const newProbeCache = (): ProbeCache => ({ byCommits: new Map(), byTrees: new Map() });

interface Probe extends MergePair {
  readonly commits: string;
  readonly trees: string;
}

const OPTIONS = ['--write-tree', '-z', '--name-only', '--messages'];

/** The largest number of pairs for one process, so that its output fits the output limit. */
const BATCH = 500;

/**
 * Returns whether only the state file is in conflict. Each held session has its own state file on its branch, which
 * never reaches the base, so this counts as a clean merge.
 */
const isOnlyState = ({ files }: TreeMerge): boolean => files.length > 0 && files.every((file) => file === STATE_FILE);

const isRefused = (merge: TreeMerge | Refusal): merge is Refusal => 'kind' in merge;

/**
 * Returns the conflicts that git reports, except for those in the state file. Git can report a conflict and still call
 * the merge clean (see `markedByMerge`).
 */
const reportedConflicts = ({ messages }: TreeMerge): readonly MergeMessage[] =>
  messages.filter(({ type, files }) => type.startsWith('CONFLICT') && !files.includes(STATE_FILE));

const isClean = (merge: TreeMerge): boolean => {
  if (!merge.isClean) return isOnlyState(merge);
  return reportedConflicts(merge).length === 0;
};

function conflicting(merge: TreeMerge): readonly string[] {
  const files = merge.isClean ? reportedConflicts(merge).flatMap((message) => message.files) : merge.files;
  return [...new Set(files)].filter((file) => file !== STATE_FILE).sort();
}

async function verdictsOf(git: Git, repository: string, merges: readonly (TreeMerge | Refusal)[]) {
  const conflicts = merges.filter((merge): merge is TreeMerge => !isRefused(merge) && !isClean(merge));
  const trees = conflicts.map((merge) => ({ tree: merge.tree, files: conflicting(merge) }));
  const hunks = await conflictHunks(git, repository, trees);
  return merges.map((merge): MergeVerdict => {
    if (isRefused(merge)) return merge;
    if (isClean(merge)) return { kind: 'clean', tree: merge.tree };
    const [files, messages] = [conflicting(merge), reportedConflicts(merge)];
    return { kind: 'conflict', files, messages, hunks: hunks[conflicts.indexOf(merge)] ?? [] };
  });
}

async function mergeOne(git: Git, repository: string, { ours, theirs }: MergePair): Promise<TreeMerge | Refusal> {
  const answer = await git(repository, ['merge-tree', ...OPTIONS, ours, theirs]);
  if (answer.code !== 0 && answer.code !== 1) return whyFailed(answer, `can't compare ${ours} and ${theirs}`);
  const merge = readMerges(`${answer.ok ? '1' : '0'}\0${answer.out}\0`)[0];
  return merge ?? refused('git_failed', `can't compare ${ours} and ${theirs}: git's output is not readable`);
}

/**
 * Merges pairs in one process, which may process only some of them: `merge-tree --stdin` exits at the first pair that
 * can't be merged at all.
 */
async function mergeMany(git: Git, repository: string, pairs: readonly MergePair[]): Promise<readonly TreeMerge[]> {
  const input = pairs.map(({ ours, theirs }) => `${ours} ${theirs}\n`).join('');
  const answer = await git(repository, ['merge-tree', ...OPTIONS, '--stdin'], { input });
  return readMerges(answer.out).slice(0, pairs.length);
}

/**
 * Merges all pairs, in batches. A pair at which a batch stops is merged separately to learn the reason, and the next
 * batch starts after it.
 */
async function mergeAll(git: Git, repository: string, pairs: readonly MergePair[], mode: 'batch' | 'single') {
  const merges: (TreeMerge | Refusal)[] = [];
  while (merges.length < pairs.length) {
    const left = mode === 'batch' ? pairs.slice(merges.length, merges.length + BATCH) : [];
    const done = left.length < 2 ? [] : await mergeMany(git, repository, left);
    merges.push(...done);
    const next = pairs[merges.length];
    if (next !== undefined && (left.length < 2 || done.length < left.length))
      merges.push(await mergeOne(git, repository, next));
  }
  return merges;
}

/**
 * Returns the full hashes of the commits and trees that revisions name, using one process; null for a revision that is
 * not a commit.
 */
async function namesOf(git: Git, repository: string, revisions: readonly string[]) {
  const input = revisions.map((one) => `${one}^{commit}\n${one}^{tree}\n`).join('');
  const { out } = await git(repository, ['cat-file', '--batch-check=%(objectname)'], { input });
  const lines = out.split('\n');
  const known = (line: string | undefined) => (/^[0-9a-f]{40,64}$/.test(line ?? '') ? (line ?? null) : null);
  return new Map(
    revisions.map((one, index) => [one, { commit: known(lines[index * 2]), tree: known(lines[index * 2 + 1]) }]),
  );
}

const basesOf = async (git: Git, repository: string, { ours, theirs }: MergePair): Promise<string> =>
  lineOf(await git(repository, ['merge-base', '--all', ours, theirs]));

/** Returns the cached result for other commits with the same two trees and the same merge bases, or null. */
async function sameMerge(git: Git, repository: string, probe: Probe, cache: ProbeCache): Promise<MergeVerdict | null> {
  const others = cache.byTrees.get(probe.trees) ?? [];
  if (others.length === 0) return null;
  const bases = await basesOf(git, repository, probe);
  for (const other of others) if ((await basesOf(git, repository, other)) === bases) return other.verdict;
  return null;
}

const noCommit = (revision: string): Refusal =>
  refused(
    'missing',
    `git does not know the commit ${JSON.stringify(revision)}; it may have been removed in the meantime`,
  );

/** Resolves the revisions of pairs to hashes; a pair with a revision that is not a commit gets a refusal. */
async function prepared(
  git: Git,
  repository: string,
  pairs: readonly MergePair[],
): Promise<readonly (Probe | Refusal)[]> {
  const revisions = [...new Set(pairs.flatMap(({ ours, theirs }) => [ours, theirs]))];
  const usable = revisions.filter((one) => one !== '' && !/[\0\n]/.test(one));
  const names = await namesOf(git, repository, usable);
  return pairs.map(({ ours, theirs }) => {
    const [a, b] = [names.get(ours), names.get(theirs)];
    if (!a?.commit || !a.tree) return noCommit(ours);
    if (!b?.commit || !b.tree) return noCommit(theirs);
    const both = { ours: a.commit, theirs: b.commit };
    return { ...both, commits: `${a.commit} ${b.commit}`, trees: `${a.tree} ${b.tree}` };
  });
}

function remember(cache: ProbeCache, probe: Probe, verdict: MergeVerdict): void {
  // A refusal isn't cached, since its cause may no longer exist at the next probe.
  if (verdict.kind === 'refused') return;
  cache.byCommits.set(probe.commits, verdict);
  const others = cache.byTrees.get(probe.trees) ?? [];
  cache.byTrees.set(probe.trees, [...others, { ours: probe.ours, theirs: probe.theirs, verdict }]);
}

/**
 * Returns the results that real merges of these pairs would have, in the order of the pairs, without changing any
 * checkout. Pairs that are not in the cache are merged in batches. Refuses all pairs if this git is too old.
 */
export async function probeMerges(
  git: Git,
  repository: string,
  pairs: readonly MergePair[],
  cache: ProbeCache,
): Promise<readonly MergeVerdict[] | Refusal> {
  const mode = await mergeTreeMode(git, repository);
  if (typeof mode !== 'string') return mode;
  const probes = await prepared(git, repository, pairs);
  const unknown = new Map<string, Probe>();
  for (const probe of probes) {
    if ('kind' in probe || cache.byCommits.has(probe.commits)) continue;
    const same = await sameMerge(git, repository, probe, cache);
    if (same === null) unknown.set(probe.commits, probe);
    else cache.byCommits.set(probe.commits, same);
  }
  const asked = [...unknown.values()];
  const verdicts = await verdictsOf(git, repository, await mergeAll(git, repository, asked, mode));
  const fresh = new Map<string, MergeVerdict>();
  for (const [index, probe] of asked.entries()) {
    const verdict = verdicts[index] ?? noCommit(probe.ours);
    fresh.set(probe.commits, verdict);
    remember(cache, probe, verdict);
  }
  return probes.map((probe) => {
    if ('kind' in probe) return probe;
    return cache.byCommits.get(probe.commits) ?? fresh.get(probe.commits) ?? noCommit(probe.ours);
  });
}
