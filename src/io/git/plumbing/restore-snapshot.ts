import { newId } from '../../clock/identity.ts';
import { type AllFiles, allFiles, writeTree } from './all-files.ts';
import type { Git } from './git.ts';
import { commitOf, lineOf, moveRef, quietly, zeroSplit } from './quiet-git.ts';
import { type Refusal, refused, whyFailed } from './refusal.ts';
import { atOnce, type Serialise } from '../../files/serialise.ts';
import { restoreIgnored, inTheWay } from './ignored-files.ts';
import { CONFLICTED_INDEX, MAX_FILE_BYTES, readCommits, snapshotCommit } from './snapshot.ts';
import { type IndexGit, withTemporaryIndex } from './temporary-index.ts';

type Restored =
  | {
      readonly kind: 'restored';
      /** The ref and commit that keep the former content of the worktree. */
      readonly rescue: { readonly ref: string; readonly commit: string };
      /** True if HEAD has moved since the snapshot. HEAD and the branch are left as they are. */
      readonly headMoved: boolean;
    }
  | Refusal;

/** Adds the ignored files that the snapshot's files would overwrite to the files that are saved before the restore. */
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
  if (!added.ok) return whyFailed(added, "can't compare the snapshot with the worktree");
  const found = new Set<string>();
  for (const name of zeroSplit(added.out)) {
    const other = await inTheWay(worktree, name);
    if (other !== null) found.add(other);
  }
  // An empty folder, and files that are saved already, don't block anything.
  const leftOut = new Set(files.leftOut.map((one) => one.path.replace(/\/$/, '')));
  const names = [...found].filter((name) => !leftOut.has(name));
  if (names.length === 0) return files;
  for (const name of names) {
    const forced = await git(['add', '--force', '--sparse', '--no-ignore-errors', '--', name]);
    if (!forced.ok && !/did not match any files/.test(forced.err))
      return whyFailed(forced, "can't save ignored files that the restore would overwrite");
  }
  const all = await writeTree(git);
  return typeof all === 'string' ? { ...files, tree: all } : all;
}

/** Keeps the commit under the ref, or under a similar name if an earlier attempt has already created that ref. */
async function keep(git: Git, worktree: string, ref: string, commit: string, serialise: Serialise) {
  for (const name of [ref, `${ref}-${newId(4)}`]) {
    const moved = await serialise(() => moveRef(git, worktree, name, commit, null, 'rescue'));
    if (moved.ok) return { ref: name, commit };
    if (name !== ref) return whyFailed(moved, "can't save the present files");
  }
  return refused('ref_taken', `can't save the present files: ${ref} already exists`);
}

/** Restores the index of the snapshot. If that index was in conflict, the current one is kept. */
async function restoreIndex(git: Git, worktree: string, snapshot: string): Promise<Refusal | null> {
  const log = await git(worktree, ['log', '-1', '--no-show-signature', '--format=%P%n%B', snapshot, '--']);
  const [parents = '', ...message] = log.out.split('\n');
  if (message.includes(CONFLICTED_INDEX)) return null;
  const [head = '', index = head] = parents.split(' ');
  const args = index === '' ? ['read-tree', '--empty'] : ['reset', '-q', `${index}^{tree}`, '--', '.'];
  const done = await quietly(git, worktree, args);
  return done.ok ? null : whyFailed(done, 'the files are restored, but the index is not');
}

/**
 * Makes the files of a worktree equal to those of a tree. Git compares first, and refuses if a change would be lost.
 */
async function moveFiles(git: IndexGit, from: string, to: string): Promise<Refusal | null> {
  const moved = await git(['read-tree', '-m', '-u', from, to]);
  if (moved.ok) return null;
  const files = [...moved.err.matchAll(/(?:Entry|file) '([^']+)'/g)].map(([, file = '']) => file);
  const why = await whyFailed(moved, 'the snapshot was not restored');
  return why.why === 'git_failed' ? refused('checkout_blocked', why.message, files) : why;
}

/**
 * Makes the files and the index of a worktree equal to a snapshot. Files that the snapshot lacks are removed, except
 * for ignored ones. The former content is first saved under the rescue ref. Neither HEAD nor the branch moves.
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
    const commits = await readCommits(git, worktree, null);
    const commit = await snapshotCommit(git, worktree, files, `before ${ref} was restored`, commits);
    const rescue = typeof commit === 'string' ? await keep(git, worktree, rescueRef, commit, serialise) : commit;
    if ('kind' in rescue) return rescue;
    const refusal =
      (await moveFiles(own, files.tree, snapshot)) ??
      (await restoreIgnored(own, worktree, files.tree, snapshot)) ??
      (await restoreIndex(git, worktree, snapshot));
    if (refusal !== null) return refusal;
    const then = lineOf(await git(worktree, ['log', '-1', '--no-show-signature', '--format=%P', snapshot, '--']));
    const now = await commitOf(git, worktree, 'HEAD');
    return { kind: 'restored', rescue, headMoved: now !== null && then.split(' ')[0] !== now };
  });
}
