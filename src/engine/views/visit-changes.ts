import { allFiles } from '#io/git/plumbing/all-files.ts';
import { createGit } from '#io/git/plumbing/git.ts';
import { commitOf, lineOf, zeroSplit } from '#io/git/plumbing/quiet-git.ts';
import { MAX_FILE_BYTES } from '#io/git/plumbing/snapshot.ts';
import { withTemporaryIndex } from '#io/git/plumbing/temporary-index.ts';
import { processes } from '#io/process/process.ts';
import type { ChangedFile, FileDifference } from '#protocol/generated/view.gen.ts';
import type { Session } from '#protocol/session.ts';
import { sinceOf } from '../changes/since-of.ts';
import { filesBetween, symbolLineBetween } from './changed-files.ts';
import { diffBetween, readHunks } from './file-difference.ts';
import { type RunVisit, spanOf, type VisitSpan, visitSpans } from './visit-spans.ts';

const git = createGit(processes);

/** What a visit changed: the files before and after it as git objects, and the files that differ. */
export interface VisitChanges {
  readonly before: string;
  readonly after: string;
  /** True if no later step has changed files, so that `after` is what the worktree or the branch contains now. */
  readonly isNow: boolean;
  /** Files with changed symbols first. */
  readonly files: readonly ChangedFile[];
}

/** The state of a worktree: its files as a commit or a tree, and its HEAD. */
interface Files {
  readonly tree: string;
  readonly head: string;
}

const directoryOf = ({ worktree }: Pick<Session, 'worktree'>, root: string): string => worktree ?? root;

/** Returns the files of a session as they are now; null if neither its worktree nor its branch exists. */
async function filesNow({ worktree, branch }: Session, root: string): Promise<Files | null> {
  if (worktree === null) {
    const head = await commitOf(git, root, `refs/heads/${branch}`);
    return head === null ? null : { tree: head, head };
  }
  const head = await commitOf(git, worktree, 'HEAD');
  const found = await withTemporaryIndex(git, worktree, (own) => allFiles(own, worktree, MAX_FILE_BYTES));
  return head === null || found.kind === 'refused' ? null : { tree: found.tree, head };
}

/** Returns the files of a snapshot; null if the snapshot was removed. */
async function filesOf(snapshot: string, directory: string): Promise<Files | null> {
  const tree = await commitOf(git, directory, snapshot);
  const head = tree === null ? null : await commitOf(git, directory, `${tree}^1`);
  return tree === null || head === null ? null : { tree, head };
}

/**
 * Returns the paths in which a session differs from its base after an update from it; null if its base has not moved
 * between two states. Other files that changed came with the update.
 */
async function ownPaths(
  session: Session,
  root: string,
  before: Files,
  after: Files,
): Promise<ReadonlySet<string> | null> {
  const directory = directoryOf(session, root);
  const [old, since] = [await sinceOf(directory, before.head, session), await sinceOf(directory, after.head, session)];
  if (since === null || old === since) return null;
  const names = await git(directory, [
    'diff',
    '--no-ext-diff',
    '--no-renames',
    '--name-only',
    '-z',
    since,
    after.tree,
    '--',
  ]);
  return names.ok ? new Set(zeroSplit(names.out)) : null;
}

const hasSymbols = ({ symbols }: ChangedFile): boolean => symbols.length > 0;

async function changesOf(span: VisitSpan, session: Session, root: string): Promise<VisitChanges | null> {
  const directory = directoryOf(session, root);
  const before = await filesOf(span.before, directory);
  const after = span.after === null ? await filesNow(session, root) : await filesOf(span.after, directory);
  if (before === null || after === null) return null;
  const own = await ownPaths(session, root, before, after);
  const all = await filesBetween(directory, [before.tree, after.tree]);
  const files = own === null ? all : all.filter(({ path, from }) => own.has(path) || (from !== null && own.has(from)));
  return {
    before: before.tree,
    after: after.tree,
    isNow: span.after === null,
    files: [...files.filter(hasSymbols), ...files.filter((file) => !hasSymbols(file))],
  };
}

/**
 * Returns what a visit of a session's run changed; null if the visit can't have changed files, or if its snapshots no
 * longer exist.
 */
export async function visitChanges(session: Session, root: string, visit: RunVisit): Promise<VisitChanges | null> {
  const span = spanOf(session, root, visit);
  return span === null ? null : changesOf(span, session, root);
}

/** Returns the diff of one file that a visit changed; null if it has not changed the file. */
export async function visitDifference(
  session: Session,
  root: string,
  visit: RunVisit,
  path: string,
): Promise<Omit<FileDifference, 'session'> | null> {
  const changes = await visitChanges(session, root, visit);
  const file = changes?.files.find((one) => one.path === path);
  if (changes === null || file === undefined) return null;
  const { out } = await diffBetween(directoryOf(session, root), [changes.before, changes.after], file);
  return { path, from: file.from, ...readHunks(out) };
}

/** Returns the line at which a visit first changes a symbol of a file, counted from 1; null: it changes none. */
export const visitSymbolLine = (
  session: Session,
  root: string,
  { before, after }: Pick<VisitChanges, 'before' | 'after'>,
  path: string,
): Promise<number | null> => symbolLineBetween(directoryOf(session, root), [before, after], path);

/** Returns a file of a commit or tree; null if it does not exist there. */
export async function fileIn(session: Session, root: string, tree: string, path: string): Promise<string | null> {
  const shown = await git(directoryOf(session, root), ['cat-file', 'blob', `${tree}:${path}`]);
  return shown.ok ? shown.out : null;
}

/** Returns the trees of commits; an empty text for one that does not exist. */
async function treesOf(directory: string, commits: readonly string[]): Promise<readonly string[]> {
  const input = commits.map((commit) => `${commit}^{tree}\n`).join('');
  const answer = await git(directory, ['cat-file', '--batch-check=%(objectname) %(objecttype)'], { input });
  return lineOf(answer)
    .split('\n')
    .map((line) => /^(\S+) tree$/.exec(line)?.[1] ?? '');
}

/**
 * Returns the visits of a session that changed files, the newest first. The last visit is compared with the files as
 * they are now.
 */
export async function changedVisits(
  session: Session,
  root: string,
): Promise<readonly (RunVisit & { readonly at: number })[]> {
  const spans = visitSpans(session, root);
  if (spans.length === 0) return [];
  const now = spans.some(({ after }) => after === null) ? await filesNow(session, root) : null;
  const afters = spans.map(({ after }) => after ?? now?.tree ?? 'none');
  const trees = await treesOf(directoryOf(session, root), [...spans.map(({ before }) => before), ...afters]);
  return spans
    .filter((_, index) => {
      const [before, after] = [trees[index], trees[index + spans.length]];
      return before !== undefined && after !== undefined && before !== '' && after !== '' && before !== after;
    })
    .map(({ run, block, visit, at }) => ({ run, block, visit, at }))
    .toReversed();
}
