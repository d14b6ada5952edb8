import type { Count } from '#protocol/count.ts';
import { cutPatch, type PatchLimits } from '#io/git/changes/cut-patch.ts';
import type { CountedPath } from '#io/git/changes/parse-changes.ts';
import { type ChangeRange, readChanges } from '#io/git/changes/read-changes.ts';
import { createGit } from '#io/git/plumbing/git.ts';
import { commitOf, lineOf } from '#io/git/plumbing/quiet-git.ts';
import { processes } from '#io/process/process.ts';
import type { Session } from '#protocol/session.ts';
import { sinceOf } from './since-of.ts';

/** What a session has changed since its base, committed or not. */
export interface SessionDiff {
  readonly ok: true;
  /** The commit at which the session's branch diverged from its base. */
  readonly since: string;
  readonly files: readonly CountedPath[];
  /** The total number of changed lines in all files that are not binary. */
  readonly added: Count;
  readonly deleted: Count;
  /** The unified diff without secrets; null if it was not requested. */
  readonly patch: string | null;
  /** Lines of the diff that were left out. */
  readonly omitted: Count;
}

/** The result if there is no diff to show. `why` is a message for people. */
interface NoSessionDiff {
  readonly ok: false;
  readonly why: string;
  readonly next: readonly string[];
}

export interface DiffWanted {
  /** Files and folders, relative to the top of the repository. An empty list means all files. */
  readonly paths: readonly string[];
  /** Files to leave out. */
  readonly except?: readonly string[];
  /** The limits of the diff's text; null to omit the text. */
  readonly limits: PatchLimits | null;
  readonly redact: (text: string) => string;
}

const git = createGit(processes);

const sumOf = (files: readonly CountedPath[], side: 'added' | 'deleted'): number =>
  files.reduce((sum, file) => sum + (file[side] ?? 0), 0);

const nothing = (why: string, ...next: readonly string[]): NoSessionDiff => ({ ok: false, why, next });

/** Returns why a session has no changes of its own to show; null if it may have some. */
function whyNone({ id, title, state, base, baseBranch }: Session): NoSessionDiff | null {
  if (state === 'merged') return nothing(`${title} is merged: its changes are part of ${baseBranch}.`);
  if (state === 'discarded')
    return nothing(`${title} is discarded. Restore it to see its changes.`, `robosmith sessions restore ${id}`);
  return base === null ? nothing(`${title} has no worktree yet.`, `robosmith sessions show ${id}`) : null;
}

/** Reads what a session has changed since its branch diverged from its base. Changes nothing. */
export async function sessionDiff(
  session: Session,
  root: string,
  wanted: DiffWanted,
): Promise<SessionDiff | NoSessionDiff> {
  const none = whyNone(session);
  if (none !== null) return none;
  const { worktree, branch } = session;
  const directory = worktree ?? root;
  const head = worktree === null ? await commitOf(git, root, `refs/heads/${branch}`) : null;
  const since = worktree !== null || head !== null ? await sinceOf(directory, head ?? 'HEAD', session) : null;
  if (since === null) return nothing(`The branch ${branch} of ${session.title} does not exist.`, 'robosmith doctor');
  const read = await diffOf({ directory, since, head }, wanted);
  return typeof read === 'string'
    ? nothing(`The changes of ${session.title} can't be read: ${read}`, 'robosmith worktrees')
    : read;
}

/**
 * Reads the uncommitted changes of a folder, or its changes since a given commit. Null if the folder is in no git
 * repository, or if git fails.
 */
export async function uncommittedDiff(
  directory: string,
  wanted: DiffWanted,
  from = 'HEAD',
): Promise<SessionDiff | null> {
  const since = await commitOf(git, directory, from).catch(() => null);
  if (since === null) return null;
  const read = await diffOf({ directory, since, head: null }, wanted);
  return typeof read === 'string' ? null : read;
}

/** Returns the changes of a range, or git's error message. */
async function diffOf(
  range: ChangeRange,
  { paths, except = [], limits, redact }: DiffWanted,
): Promise<SessionDiff | string> {
  const read = await readChanges(git, range, { paths, except, patch: limits !== null });
  if ('kind' in read) return read.message;
  const { files, patch } = read;
  // Secrets are removed before the text is cut: a part of one would not be recognised.
  const cut = limits === null || patch === null ? null : cutPatch(redact(patch), limits);
  return {
    ok: true,
    since: range.since,
    files,
    added: sumOf(files, 'added'),
    deleted: sumOf(files, 'deleted'),
    patch: cut?.text ?? null,
    omitted: cut?.omitted ?? 0,
  };
}

/** Returns the path of a folder within its repository: empty, or a path that ends with `/`. */
export async function prefixOf(folder: string): Promise<string> {
  const prefix = await git(folder, ['rev-parse', '--show-prefix']);
  return prefix.ok ? lineOf(prefix) : '';
}
