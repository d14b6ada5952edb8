import { newId } from '../../clock/identity.ts';
import { type AllFiles, allFiles, writeTree } from './all-files.ts';
import type { Git } from './git.ts';
import { commitOf, lineOf, moveRef, quietly, zeroSplit } from './quiet-git.ts';
import { type Refusal, refused, whyFailed } from './refusal.ts';
import { atOnce, type Serialise } from './serialise.ts';
import { bringBackIgnored, inTheWay } from './ignored-files.ts';
import { CONFLICTED_INDEX, MAX_FILE_BYTES, snapshotCommit } from './snapshot.ts';
import { type IndexGit, withTemporaryIndex } from './temporary-index.ts';

export type Restored =
  | {
      readonly kind: 'restored';
      /** What was there before. */
      readonly rescue: { readonly ref: string; readonly commit: string };
      /** The branch has other commits than then: it is left as it is. */
      readonly headMoved: boolean;
    }
  | Refusal;

/** Ignored files that the snapshot's would be written over are saved too. */
async function withCollisions(git: IndexGit, worktree: string, files: AllFiles, tree: string) {
  const added = await git([
    'diff-tree',
    '-r',
    '-z',
    '--no-renames',
    '--diff-filter=A',
    '--name-only',
    files.tree,
    tree,
  ]);
  if (!added.ok) return whyFailed(added, 'the snapshot was not compared');
  const found = new Set<string>();
  for (const name of zeroSplit(added.out)) {
    const other = await inTheWay(worktree, name);
    if (other !== null) found.add(other);
  }
  // A folder that holds nothing, or files that are saved already, is in nobody's way.
  const leftOut = new Set(files.leftOut.map((one) => one.path.replace(/\/$/, '')));
  const names = [...found].filter((name) => !leftOut.has(name));
  if (names.length === 0) return files;
  for (const name of names) {
    const forced = await git(['add', '--force', '--sparse', '--no-ignore-errors', '--', name]);
    if (!forced.ok && !/did not match any files/.test(forced.err))
      return whyFailed(forced, 'ignored files in the way were not saved');
  }
  const all = await writeTree(git);
  return typeof all === 'string' ? { ...files, tree: all } : all;
}

/** Under its name, or beside it when an earlier attempt has taken that. */
async function keep(git: Git, worktree: string, ref: string, commit: string, serialise: Serialise) {
  for (const name of [ref, `${ref}-${newId(4)}`]) {
    const moved = await serialise(() => moveRef(git, worktree, name, commit, null, 'rescue'));
    if (moved.ok) return { ref: name, commit };
    if (name !== ref) return whyFailed(moved, 'what is there was not saved');
  }
  return refused('ref_taken', `what is there was not saved: ${ref} is taken`);
}

/** The index as it was; one that was in conflict stays as it is now. */
async function restoreIndex(git: Git, worktree: string, snapshot: string): Promise<Refusal | null> {
  const told = await git(worktree, ['log', '-1', '--no-show-signature', '--format=%P%n%B', snapshot, '--']);
  const [parents = '', ...message] = told.out.split('\n');
  if (message.includes(CONFLICTED_INDEX)) return null;
  const [head = '', index = head] = parents.split(' ');
  const args = index === '' ? ['read-tree', '--empty'] : ['reset', '-q', `${index}^{tree}`, '--', '.'];
  const done = await quietly(git, worktree, args);
  return done.ok ? null : whyFailed(done, 'the files are restored, the index is not');
}

/** Makes the files equal: git compares before it writes, and refuses what it would lose. */
async function moveFiles(git: IndexGit, from: string, to: string): Promise<Refusal | null> {
  const moved = await git(['read-tree', '-m', '-u', from, to]);
  if (moved.ok) return null;
  const files = [...moved.err.matchAll(/(?:Entry|file) '([^']+)'/g)].map(([, file = '']) => file);
  const why = await whyFailed(moved, 'the snapshot was not restored');
  return why.why === 'git_failed' ? refused('checkout_blocked', why.message, files) : why;
}

/**
 * Makes a worktree's files, and its index, equal to a snapshot: files that it has not are removed, ignored ones stay. All that was there
 * is saved under the rescue ref first (spec/engine.md "Worktree snapshots"). Neither HEAD nor the branch is moved.
 */
export async function restoreSnapshot(
  git: Git,
  worktree: string,
  ref: string,
  rescueRef: string,
  { serialise = atOnce }: { readonly serialise?: Serialise } = {},
): Promise<Restored> {
  const snapshot = await commitOf(git, worktree, ref);
  if (snapshot === null) return refused('missing', `there is no snapshot ${ref}; it may have been pruned`);
  return withTemporaryIndex(git, worktree, async (own): Promise<Restored> => {
    const seen = await allFiles(own, worktree, MAX_FILE_BYTES);
    const files = seen.kind === 'refused' ? seen : await withCollisions(own, worktree, seen, snapshot);
    if (files.kind === 'refused') return files;
    const commit = await snapshotCommit(git, worktree, files, `before ${ref} was restored`, null);
    const rescue = typeof commit === 'string' ? await keep(git, worktree, rescueRef, commit, serialise) : commit;
    if ('kind' in rescue) return rescue;
    const refusal =
      (await moveFiles(own, files.tree, snapshot)) ??
      (await bringBackIgnored(own, worktree, files.tree, snapshot)) ??
      (await restoreIndex(git, worktree, snapshot));
    if (refusal !== null) return refusal;
    const then = lineOf(await git(worktree, ['log', '-1', '--no-show-signature', '--format=%P', snapshot, '--']));
    const now = await commitOf(git, worktree, 'HEAD');
    return { kind: 'restored', rescue, headMoved: now !== null && then.split(' ')[0] !== now };
  });
}
