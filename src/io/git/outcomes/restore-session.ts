import type { Git } from '../plumbing/git.ts';
import { DISCARDED, RESCUE } from '../plumbing/kept-refs.ts';
import { commitOf, moveRef, quietly } from '../plumbing/quiet-git.ts';
import { type Refusal, refused, whyFailed } from '../plumbing/refusal.ts';
import { restoreSnapshot } from '../plumbing/restore-snapshot.ts';
import { atOnce, type Serialise } from '../../files/serialise.ts';
import { withoutLfs } from '../plumbing/without-lfs.ts';
import { CHECKOUT_MS } from './temporary-worktree.ts';
import { isStanding } from './existing-worktree.ts';

interface RestoreRequest {
  readonly repository: string;
  /** The ref that `discardSession` returned. */
  readonly ref: string;
  readonly branch: string;
  /** The path for the new worktree. If null, only the branch is restored, and the ref is kept. */
  readonly worktree: string | null;
  /** The lock reason of the new worktree; null leaves it unlocked. */
  readonly lock?: string | null;
  readonly serialise?: Serialise;
}

type SessionRestored = { readonly kind: 'restored'; readonly tip: string } | Refusal;

/** Returns the tip of the discarded branch, and whether all its work was committed. */
async function keptIn(git: Git, repository: string, kept: string): Promise<{ tip: string; isWhole: boolean }> {
  const log = await git(repository, [
    'log',
    '-2',
    '--first-parent',
    '--no-show-signature',
    '--format=%H %T %P',
    kept,
    '--',
  ]);
  const [own = [], below = []] = log.out.split('\n').map((line) => line.split(' '));
  const [, tree, ...parents] = own;
  return { tip: parents[0] ?? kept, isWhole: parents.length === 1 && below[1] === tree };
}

/** Creates the worktree. `isNew` is false if an interrupted restore has already created it. */
async function makeWorktree(
  git: Git,
  { repository, lock = null }: RestoreRequest,
  worktree: string,
  what: { readonly branch: string; readonly tip: string; readonly kept: string },
): Promise<{ readonly isNew: boolean } | Refusal> {
  const standing = await isStanding(git, repository, worktree, what);
  if (standing !== false) return standing === true ? { isNew: false } : standing;
  const locked = lock === null ? [] : ['--lock', '--reason', lock];
  const add = ['worktree', 'add', '-q', ...locked, worktree, what.branch];
  const made = await quietly(git, repository, add, { timeoutMs: CHECKOUT_MS });
  return made.ok ? { isNew: true } : whyFailed(made, 'the branch is restored, but its worktree is not');
}

/** Restores a discarded session: its branch, and in a new worktree its files, committed or not, and its index. */
export async function restoreSession(plain: Git, request: RestoreRequest): Promise<SessionRestored> {
  const git = await withoutLfs(plain, request.repository);
  const { repository, ref, branch, worktree, serialise = atOnce } = request;
  const kept = await commitOf(git, repository, ref);
  if (kept === null) return refused('missing', `${ref} does not exist; it may have been pruned`);
  const { tip, isWhole } = await keptIn(git, repository, kept);
  const now = await commitOf(git, repository, `refs/heads/${branch}`);
  if (now !== null && now !== tip)
    return refused(
      'ref_taken',
      `a branch ${branch} with other commits exists. Rename it with \`git branch -m ${branch} <name>\`, and restore again`,
    );
  return serialise(async (): Promise<SessionRestored> => {
    const moved = now === tip ? null : await moveRef(git, repository, `refs/heads/${branch}`, tip, null, 'restored');
    if (moved?.ok === false) return whyFailed(moved, 'the branch was not restored');
    if (worktree === null) return { kind: 'restored', tip };
    const made = await makeWorktree(git, request, worktree, { branch, tip, kept });
    if ('kind' in made) return made;
    if (!isWhole) {
      const rescue = ref.replace(DISCARDED, RESCUE);
      const files = await restoreSnapshot(git, worktree, kept, rescue);
      if (files.kind === 'refused') {
        // A full disk leaves parts of files, which the next restore would take for somebody's work. All work is kept.
        if (made.isNew) await quietly(git, repository, ['worktree', 'remove', '--force', '--force', '--', worktree]);
        return files;
      }
    }
    const dropped = await moveRef(git, repository, ref, null, kept, 'restored');
    return dropped.ok
      ? { kind: 'restored', tip }
      : whyFailed(dropped, `all work is restored, but ${ref} was not deleted`);
  });
}
