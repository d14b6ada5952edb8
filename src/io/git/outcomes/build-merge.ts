import type { Git, GitAnswer } from '../plumbing/git.ts';
import { markedByMerge, WITH_MARKERS } from '../plumbing/marked-by-merge.ts';
import { commitOf, lineOf, zeroSplit } from '../plumbing/quiet-git.ts';
import { type Refusal, refused, tail, whyFailed, whyNoCommit } from '../plumbing/refusal.ts';

export type MergeStrategy = 'squash' | 'merge' | 'rebase';

interface MergeStyle {
  readonly strategy: MergeStrategy;
  readonly message: string;
  readonly hooks: boolean;
}

const unlessHooks = (hooks: boolean): readonly string[] => (hooks ? [] : ['--no-verify']);

/**
 * Turns off features that the user's settings could add: recorded conflict resolutions (rerere), stashes, and updates
 * of other branches.
 */
const PLAIN = [
  ...['-c', 'rerere.enabled=false', '-c', 'merge.autoStash=false'],
  ...['-c', 'rebase.updateRefs=false', '-c', 'rebase.autoSquash=false', '-c', 'rebase.autoStash=false'],
];

/**
 * Turns off hooks for `git merge` itself. `git commit` runs its hooks later, and `post-merge` runs in the checkout of
 * the base.
 */
const NO_HOOKS = ['-c', 'core.hooksPath=/dev/null'];

const MERGE_MS = 600_000;

/**
 * The beginning of the message that refuses a merge because of conflicts. Updating the session from its base makes the
 * merge possible.
 */
export const BOTH_CHANGE = 'the base and the session change the same lines or files';

/** Matches conflict messages that add nothing to the list of files. The messages of other conflicts are shown. */
const OF_TEXTS = /^CONFLICT \((?:content|add\/add)\): /;

async function whyNotMerged(git: Git, scratch: string, answer: GitAnswer, doing: string): Promise<Refusal> {
  const unmerged = await git(scratch, ['diff', '--name-only', '--diff-filter=U', '-z']);
  const files = [...new Set(zeroSplit(unmerged.out))].sort();
  const isConflict = files.length > 0 || /^CONFLICT /m.test(answer.out);
  if (!isConflict) return whyFailed(answer, doing);
  const said = tail(
    answer.out
      .split('\n')
      .filter((line) => line.startsWith('CONFLICT') && !(files.length > 0 && OF_TEXTS.test(line)))
      .join('\n'),
  );
  return refused(
    'conflict',
    [
      `${BOTH_CHANGE}. Update the session from the base, resolve the conflicts, and merge again`,
      ...(said === '' ? [] : [said]),
    ].join('\n'),
    files,
  );
}

async function mergeIn(
  git: Git,
  scratch: string,
  tip: string,
  { strategy, message, hooks }: MergeStyle,
): Promise<Refusal | null> {
  const isSquash = strategy === 'squash';
  // The fast-forward options of `git merge` are explicit, since `merge.ff` may have a value that excludes `--squash`.
  const how = isSquash ? ['--squash', '--ff'] : ['--no-ff', '--no-commit'];
  const merged = await git(scratch, [...PLAIN, ...NO_HOOKS, 'merge', ...how, tip], { timeoutMs: MERGE_MS });
  if (!merged.ok) return whyNotMerged(git, scratch, merged, 'the session was not merged');
  const same = await git(scratch, ['diff-index', '--cached', '--quiet', 'HEAD', '--']);
  if (isSquash && same.ok) return refused('nothing_to_merge', 'the base already has all changes of the session');
  const done = await git(scratch, ['commit', '-q', '-F', '-', '--cleanup=whitespace', ...unlessHooks(hooks)], {
    input: message,
  });
  return done.ok ? null : whyNoCommit(done, 'the merge was not committed');
}

interface Sides {
  readonly base: string;
  readonly tip: string;
}

const LEFT_OUT =
  "a rebase would lose changes that the session's merge commits contain. Merge with --strategy squash or --strategy merge";

/** Returns the tree that results from merging the session into its base; null if they conflict. */
async function mergedTree(git: Git, scratch: string, { base, tip }: Sides): Promise<string | null> {
  const merged = await git(scratch, ['merge-tree', '--write-tree', base, tip]);
  return merged.ok ? lineOf(merged) : null;
}

/**
 * Returns null if the rebased commits contain all of the session's changes, else a refusal. A rebase drops the
 * session's merge commits, and with them the conflict resolutions that they contain.
 */
async function whyNotWhole(git: Git, scratch: string, sides: Sides, refusal: Refusal | null): Promise<Refusal | null> {
  if (refusal !== null && refusal.why !== 'conflict') return refusal;
  const merges = await git(scratch, ['rev-list', '--merges', '--max-count=1', `${sides.base}..${sides.tip}`, '--']);
  if (!merges.ok) return whyFailed(merges, "can't read the commits of the session");
  if (merges.out === '') return refusal;
  const tree = await mergedTree(git, scratch, sides);
  if (tree === null) return refusal ?? refused('conflict', LEFT_OUT);
  if (refusal !== null) return refused('conflict', LEFT_OUT, refusal.files);
  const other = await git(scratch, ['diff-tree', '-r', '-z', '--no-renames', '--name-only', 'HEAD', tree]);
  if (!other.ok) return whyFailed(other, "can't check the rebased commits");
  return other.out === '' ? null : refused('conflict', LEFT_OUT, zeroSplit(other.out));
}

async function rebaseIn(git: Git, scratch: string, sides: Sides, hooks: boolean): Promise<Refusal | null> {
  const how = ['--merge', '--no-rebase-merges', ...unlessHooks(hooks)];
  const done = await git(scratch, [...PLAIN, 'rebase', ...how, sides.base], { timeoutMs: MERGE_MS });
  const refusal = done.ok ? null : await whyNotMerged(git, scratch, done, 'the session was not rebased');
  return whyNotWhole(git, scratch, sides, refusal);
}

/**
 * Creates the commit that the base will be moved to. The scratch worktree is at the base for `squash` and `merge`, and
 * at the tip for `rebase`. The commit is made as if a person ran the commands: signed if `commit.gpgSign` is set, and
 * with the hooks of `git commit` (`pre-commit`, `prepare-commit-msg`, `commit-msg`) or of `git rebase`, each of which
 * may refuse. With `hooks: false`, hooks that could refuse are skipped.
 */
export async function buildMerge(
  git: Git,
  scratch: string,
  base: string,
  tip: string,
  style: MergeStyle,
): Promise<string | Refusal> {
  const { strategy, hooks } = style;
  const refusal =
    strategy === 'rebase'
      ? await rebaseIn(git, scratch, { base, tip }, hooks)
      : await mergeIn(git, scratch, tip, style);
  if (refusal !== null) return refusal;
  const made = await commitOf(git, scratch, 'HEAD');
  if (made === null || made === base)
    return refused('nothing_to_merge', 'the base already has all changes of the session');
  const marked = await markedByMerge(git, scratch, { ours: base, theirs: tip }, made);
  if ('kind' in marked) return marked;
  if (marked.length > 0)
    return refused(
      'conflict',
      `${WITH_MARKERS}. Update the session from the base, and remove the markers there`,
      marked,
    );
  return made;
}
