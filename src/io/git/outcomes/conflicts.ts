import { readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import type { Git } from '../plumbing/git.ts';
import { zeroSplit } from '../plumbing/quiet-git.ts';
import { readBlobs } from '../plumbing/read-blobs.ts';
import { type Refusal, whyFailed } from '../plumbing/refusal.ts';

type ConflictKind =
  | 'both_modified'
  | 'both_added'
  | 'no_markers'
  | 'both_deleted'
  | 'deleted_by_session'
  | 'deleted_by_base'
  | 'added_by_session'
  | 'added_by_base'
  | 'submodule';

export interface Conflict {
  readonly file: string;
  readonly kind: ConflictKind;
  /** The session's version of the file; null if it has no such file, or if the text is too long to be shown. */
  readonly session: string | null;
  readonly base: string | null;
  /** Advice on how to resolve the conflict, for people and for a resolver. */
  readonly advice: string;
}

/**
 * Maps the stages that a file has in the index to the kind of conflict: stage 1 is the common ancestor, 2 the session,
 * 3 the base.
 */
const KINDS: Readonly<Record<string, ConflictKind>> = {
  '123': 'both_modified',
  '23': 'both_added',
  '12': 'deleted_by_base',
  '13': 'deleted_by_session',
  '2': 'added_by_session',
  '3': 'added_by_base',
  '1': 'both_deleted',
};

const ADVICE: Readonly<Record<ConflictKind, string>> = {
  both_modified: 'edit the file so that it contains both changes, and remove the conflict markers',
  both_added: 'both sides created this file: edit it so that it works for both, and remove the conflict markers',
  no_markers:
    'git could not merge its content, as that of a binary file, and it has no conflict markers: keep one version with `git checkout --ours` (the session’s) or `git checkout --theirs` (the base’s), or write the correct one, then `git add` it',
  both_deleted: 'both sides deleted or renamed it: delete it, or keep the correct name',
  deleted_by_session: 'the session deleted it, the base changed it: delete it, or keep the base’s change',
  deleted_by_base: 'the base deleted it, the session changed it: delete it, or keep the session’s change',
  added_by_session: 'the session renamed it to this: keep the correct name, and delete the other',
  added_by_base: 'the base renamed it to this: keep the correct name, and delete the other',
  submodule: 'both sides changed the commit of this submodule: check out the correct commit in it',
};

/** The largest number of conflicting files whose texts are shown. */
const SHOWN = 50;

/** The size in bytes of a file whose markers are looked for. */
const LARGEST = 16_000_000;

async function hasMarkers(file: string): Promise<boolean> {
  const found = await stat(file).catch(() => null);
  if (found?.isFile() !== true || found.size > LARGEST) return false;
  return /^<{7,}(?: |\r?$)/m.test(await readFile(file, 'latin1').catch(() => ''));
}

/** Returns the unresolved conflicts of a merge in a worktree, sorted by file. */
export async function conflictsIn(git: Git, worktree: string): Promise<readonly Conflict[] | Refusal> {
  const listed = await git(worktree, ['ls-files', '--unmerged', '-z']);
  if (!listed.ok) return whyFailed(listed, "can't list the conflicts");
  const files = new Map<string, Map<string, string>>();
  let modes = '';
  for (const entry of zeroSplit(listed.out)) {
    const tab = entry.indexOf('\t');
    const [mode = '', blob = '', stage = ''] = entry.slice(0, tab).split(' ');
    const file = entry.slice(tab + 1);
    const stages = files.get(file) ?? new Map<string, string>();
    files.set(file, stages.set(stage, blob));
    if (mode === '160000') modes += `\0${file}\0`;
  }
  const shown = [...files.values()].slice(0, SHOWN);
  const texts = await readBlobs(git, worktree, [...new Set(shown.flatMap((one) => [...one.values()]))]);
  const unmarked = new Set<string>();
  for (const file of files.keys()) if (!(await hasMarkers(path.join(worktree, file)))) unmarked.add(file);
  const conflicts = [...files].map(([file, stages]): Conflict => {
    const byStages = KINDS[[...stages.keys()].join('')] ?? 'both_modified';
    const isUnmarked = byStages.startsWith('both_') && byStages !== 'both_deleted' && unmarked.has(file);
    const kind = modes.includes(`\0${file}\0`) ? 'submodule' : isUnmarked ? 'no_markers' : byStages;
    const sideOf = (stage: string): string | null => texts.get(stages.get(stage) ?? '') ?? null;
    return { file, kind, session: sideOf('2'), base: sideOf('3'), advice: ADVICE[kind] };
  });
  return conflicts.sort((a, b) => (a.file < b.file ? -1 : 1));
}
