import path from 'node:path';
import { type ConflictHunk, hunksIn } from '../plumbing/conflict-hunks.ts';
import type { Git } from '../plumbing/git.ts';
import { readSmallTextOf } from '../../files/read-small-file.ts';
import type { Refusal } from '../plumbing/refusal.ts';
import { conflictsIn } from './conflicts.ts';
import { unresolvedConflicts, withMarkers } from './unresolved-conflicts.ts';

export interface OpenConflict {
  readonly file: string;
  /** Advice on how to resolve the conflict, for people and for a resolver. */
  readonly advice: string;
}

/**
 * Returns the unresolved files of a worktree, sorted: those in conflict, and those of `known` that still have markers
 * even though they may have been staged.
 */
export async function openConflicts(
  git: Git,
  worktree: string,
  known: readonly string[],
): Promise<readonly OpenConflict[] | Refusal> {
  const conflicts = await conflictsIn(git, worktree);
  if ('kind' in conflicts) return conflicts;
  const undecided = new Set((await unresolvedConflicts(git, worktree, conflicts)).map(({ file }) => file));
  const open = conflicts.filter(({ file }) => undecided.has(file)).map(({ file, advice }) => ({ file, advice }));
  const marked = await withMarkers(
    worktree,
    known.filter((file) => !undecided.has(file)),
  );
  const advice = 'edit the file so that it contains both changes, and remove the conflict markers';
  return [...open, ...marked.map((file) => ({ file, advice }))].sort((a, b) => (a.file < b.file ? -1 : 1));
}

const LARGEST = 1_000_000;

/** Returns the conflict hunks of a file, with their markers. */
export async function hunksOf(worktree: string, file: string): Promise<readonly ConflictHunk[]> {
  const read = await readSmallTextOf(path.join(worktree, file), LARGEST);
  return 'text' in read ? hunksIn(file, read.text) : [];
}
