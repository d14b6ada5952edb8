import { readdir } from 'node:fs/promises';
import { hiddenChanges } from '../plumbing/hidden-changes.ts';
import type { Git } from '../plumbing/git.ts';
import { commitOf, lineOf } from '../plumbing/quiet-git.ts';
import { readStatus } from '../plumbing/read-status.ts';
import { type Refusal, refused } from '../plumbing/refusal.ts';
import { atOnce, type Serialise } from '../../files/serialise.ts';
import { holderOf } from './checkouts.ts';
import { buildMerge, type MergeStrategy } from './build-merge.ts';
import { commitWork, rollBackCommit, WORK_CHANGED } from './commit-work.ts';
import { type BaseRules, inspectBase } from './inspect-base.ts';
import type { HasKey } from './known-keys.ts';
import { moveBase } from './move-base.ts';
import { type ForkPoint, whyRewound } from './rewound-base.ts';
import { withScratch } from './temporary-worktree.ts';
import { withoutState } from '../plumbing/without-state.ts';

/**
 * Matches settings that make git run the user's programs in a merge: merge drivers, normalising filters, hooks of newer
 * git versions, and a hooks folder, which may exist only in the base.
 */
const PROGRAMS = String.raw`^(merge\..*\.driver|merge\.renormalize|hook\..*|core\.hookspath)$`;

/**
 * Returns whether a commit or merge in this repository runs hooks or merge drivers, which may read any of its files.
 */
export async function runsPrograms(git: Git, repository: string): Promise<boolean> {
  const [folder, configured] = await Promise.all([
    git(repository, ['rev-parse', '--path-format=absolute', '--git-path', 'hooks']),
    git(repository, ['config', '--get-regexp', PROGRAMS]),
  ]);
  // `git config` ends with 1 and prints nothing if no setting matches.
  if (!folder.ok || configured.code !== 1) return true;
  const names = await readdir(lineOf(folder)).catch(() => []);
  return names.some((name) => !name.endsWith('.sample'));
}

/** Runs the project's tests in a folder with the merged files. Resolves to a message about the failure, or to null. */
export type Verify = (folder: string) => Promise<string | null>;

export interface MergeRequest extends BaseRules {
  readonly repository: string;
  /** Branch names without `refs/heads/`. */
  readonly base: string;
  readonly branch: string;
  /** The commit of this base at which the session started; null if it started from another branch. */
  readonly fork?: ForkPoint | null;
  /** The session's worktree; null if it is gone, for example after a hold. Then only committed work is merged. */
  readonly worktree: string | null;
  /** The tree of the work that the user has agreed to; other work is refused. Null: any work. */
  readonly tree?: string | null;
  readonly strategy: MergeStrategy;
  /** The message of the merge commit, and of the commit of uncommitted work. */
  readonly message: string;
  readonly verify?: Verify;
  /** Skips `verify` if the branch has all commits of the base, since the merged files are then those of the branch. */
  readonly onlyWhenMoved?: boolean;
  /**
   * Runs the hooks that may refuse a commit; true by default. A scratch worktree has no installed dependencies, so
   * hooks that need them fail.
   */
  readonly hooks?: boolean;
  /**
   * The absolute path of the folder for scratch worktrees (`scratchesFolder`), which exist only during a merge. The
   * folder contains nothing else.
   */
  readonly scratchFolder: string;
  readonly serialise?: Serialise;
  /** Returns whether a text contains one of the user's keys; nothing is searched if absent. */
  readonly hasKey?: HasKey;
  /** Called with the commit that the base is about to be moved to. */
  readonly onBuilt?: (commit: string) => Promise<void>;
}

export type MergeOutcome =
  | {
      readonly kind: 'merged';
      /** The base's commit after the merge. */
      readonly commit: string;
      /** The base's commit before the merge. */
      readonly from: string;
      /** The commit of the session's branch. */
      readonly tip: string;
    }
  | Refusal;

/** The base may move while the project's tests run. After this many attempts the merge is refused. */
const ATTEMPTS = 3;

/** Returns whether the tip has all commits of the base. The merged files are then those of the tip. */
export const isAncestor = async (git: Git, repository: string, base: string, tip: string): Promise<boolean> =>
  (await git(repository, ['merge-base', '--is-ancestor', base, tip])).ok;

async function build(git: Git, request: MergeRequest, from: string, tip: string): Promise<string | Refusal> {
  const { repository, strategy, hooks = true, scratchFolder, serialise = atOnce } = request;
  const clean = await withoutState(git, repository, from, tip);
  if (typeof clean !== 'string') return clean;
  const isIn = await git(repository, ['merge-base', '--is-ancestor', clean, from]);
  if (isIn.ok) return refused('nothing_to_merge', `${request.base} already has all commits of ${request.branch}`);
  const start = strategy === 'rebase' ? clean : from;
  const verify =
    request.onlyWhenMoved === true && (await isAncestor(git, repository, from, clean)) ? undefined : request.verify;
  const hasFiles = verify !== undefined || (await runsPrograms(git, repository));
  const place = { repository, scratchFolder, commit: start, hasFiles, serialise };
  return withScratch(git, place, async (scratch, own): Promise<string | Refusal> => {
    const message = request.message.trim() === '' ? `Merge ${request.branch}` : request.message;
    const made = await buildMerge(own, scratch, from, clean, { strategy, message, hooks });
    if (typeof made !== 'string' || verify === undefined) return made;
    const problem = await verify(scratch);
    return problem === null
      ? made
      : refused('verify_failed', `the merged files do not pass the project's tests:\n${problem}`);
  });
}

async function mergeTip(git: Git, request: MergeRequest, tip: string): Promise<MergeOutcome> {
  const { repository, base, branch, fork = null, serialise = atOnce } = request;
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    const sound = await inspectBase(git, repository, base, request);
    if (sound.kind === 'refused') return sound;
    const sides = { base, branch, from: sound.commit, tip };
    const rewound = fork === null ? null : await whyRewound(git, repository, sides, fork);
    if (rewound !== null) return rewound;
    const holder = await holderOf(git, repository, base);
    if (holder.kind === 'refused') return holder;
    const made = await build(git, request, sound.commit, tip);
    if (typeof made !== 'string') return made;
    await request.onBuilt?.(made);
    const moved = await serialise(() => moveBase(git, repository, base, sound.commit, made));
    if (moved === 'moved_meanwhile') continue;
    return moved.kind === 'refused' ? moved : { kind: 'merged', commit: moved.commit, from: sound.commit, tip };
  }
  return refused(
    'base_moved',
    `${base} changed ${ATTEMPTS} times during the merge. Merge again when nothing else changes it`,
  );
}

const TO_SHOW = '`git update-index --no-skip-worktree <file>` or `--no-assume-unchanged <file>` there shows them';

/** Names the changes that a merge does not commit, if a session has no others: hidden ones, and those of submodules. */
async function orLeftOut(git: Git, worktree: string, nothing: Refusal): Promise<Refusal> {
  const hidden = await hiddenChanges(git, worktree);
  if (hidden.length > 0) {
    const what = `${nothing.message}: its changes are hidden from git, so a merge does not commit them`;
    return refused('work_not_saved', `${what}. ${TO_SHOW}; then merge again`, hidden);
  }
  const status = await readStatus(git, worktree);
  const inside = 'failed' in status ? [] : status.records.filter(({ text }) => /^1 \.M S.(?:M.|.U)/.test(text));
  if (inside.length === 0) return nothing;
  const files = inside.map(({ path }) => path);
  const what = `${nothing.message}: the uncommitted changes are inside of submodules, which a merge does not commit`;
  return refused('work_not_saved', `${what}. Commit and push them there, and merge again`, files);
}

/**
 * Merges a session into its base. Uncommitted work is committed, the merge is made and tested in a scratch worktree,
 * and only then the base moves. After a refusal, the base, the branch, the index and all files are as before. Worktree
 * and branch remain; `discardSession` removes them, and keeps the commits that a squash leaves behind.
 */
export async function mergeSession(git: Git, request: MergeRequest): Promise<MergeOutcome> {
  const { repository, base, branch, worktree, message, hooks = true, tree = null } = request;
  const sound = await inspectBase(git, repository, base, request);
  if (sound.kind === 'refused') return sound;
  if (worktree === null) {
    const tip = await commitOf(git, repository, `refs/heads/${branch}`);
    if (tip === null) return refused('missing', `there is no branch ${branch} here`);
    const isOther = tree !== null && lineOf(await git(repository, ['rev-parse', `${tip}^{tree}`])) !== tree;
    return isOther ? refused('work_changed', WORK_CHANGED) : mergeTip(git, request, tip);
  }
  const own = message.trim() === '' ? `Work of ${branch}` : message;
  const { hasKey = () => false } = request;
  const work = await commitWork(git, { worktree, branch, base, message: own, hooks, hasKey, expected: tree });
  if (work.kind === 'refused') return work;
  let merged: MergeOutcome | null = null;
  try {
    merged = await mergeTip(git, request, work.commit);
    if (merged.kind === 'refused' && merged.why === 'nothing_to_merge') return await orLeftOut(git, worktree, merged);
    return merged;
  } finally {
    if (merged?.kind !== 'merged') await rollBackCommit(git, worktree, branch, work);
  }
}
