import { lstatSync } from 'node:fs';
import path from 'node:path';
import { createTurnBudget } from '../../clock/turn-budget.ts';
import type { Git } from './git.ts';
import { gitFoldersOf } from './git-folders.ts';
import { zeroSplit } from './quiet-git.ts';
import { readStatus } from './read-status.ts';

/**
 * A file that changed less than this time in milliseconds ago may change again without another timestamp. The clocks of
 * some file systems have steps of two seconds.
 */
const RECENT_MS = 2_000;

/** Returns a text that differs after each change of a file; null if a later change might not be noticed. */
function fingerprintOf(file: string, now: number): string | null {
  const found = lstatSync(file, { bigint: true, throwIfNoEntry: false });
  if (found === undefined) return 'gone';
  if (now - Number(found.ctimeMs) < RECENT_MS) return null;
  return `${found.ino}-${found.size}-${found.mtimeNs}-${found.ctimeNs}-${found.mode}`;
}

/** Returns whether a status record is about a submodule, whose commit isn't in the record. */
const isSubmodule = (text: string): boolean => !text.startsWith('?') && text.split(' ')[2]?.startsWith('S') === true;

/** Describes the files of a worktree and its index, without ignored files; null if they can't be described. */
export type ReadWorktreeState = () => Promise<string | null>;

/**
 * Creates a function that describes a worktree with one `git status`. Equal texts mean that nothing has changed between
 * two calls. Null, which no caller may compare, means: a file has changed too recently, a submodule differs from the
 * index, or a flag of the index hides changes.
 */
export function createWorktreeState(git: Git, worktree: string, now: () => number): ReadWorktreeState {
  let known: { readonly index: string; readonly hides: boolean } | null = null;

  const hidesChanges = async (index: string): Promise<boolean> => {
    if (known?.index === index) return known.hides;
    const listed = await git(worktree, ['ls-files', '-v', '-z']);
    // Lowercase: "assume unchanged"; S: "skip worktree".
    const hides = !listed.ok || zeroSplit(listed.out).some((entry) => /^[a-zS] /.test(entry));
    known = { index, hides };
    return hides;
  };

  return async () => {
    const folders = await gitFoldersOf(worktree);
    const index = folders === null ? null : fingerprintOf(path.join(folders.own, 'index'), now());
    if (index === null) return null;
    const [status, hides] = await Promise.all([readStatus(git, worktree), hidesChanges(index)]);
    if (hides || 'failed' in status) return null;
    const turn = createTurnBudget();
    const parts = [index, status.head ?? '', status.branch ?? ''];
    for (const { path: name, text } of status.records) {
      const pause = turn();
      if (pause !== null) await pause;
      const print = isSubmodule(text) ? null : fingerprintOf(path.join(worktree, name), now());
      if (print === null) return null;
      parts.push(text, print);
    }
    return parts.join('\0');
  };
}
