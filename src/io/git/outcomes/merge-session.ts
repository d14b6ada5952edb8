import type { Git } from '../plumbing/git.ts';
import { commitOf } from '../plumbing/quiet-git.ts';
import { type Refusal, refused } from '../plumbing/refusal.ts';
import { atOnce, type Serialise } from '../plumbing/serialise.ts';
import { holderOf } from './checkouts.ts';
import { buildMerge, type MergeStrategy } from './build-merge.ts';
import { commitWork, rollBackCommit } from './commit-work.ts';
import { type BaseRules, inspectBase } from './inspect-base.ts';
import { moveBase } from './move-base.ts';
import { type ForkPoint, whyRewound } from './rewound-base.ts';
import { runsPrograms } from './runs-programs.ts';
import { withScratch } from './temporary-worktree.ts';
import { withoutState } from '../plumbing/without-state.ts';

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
  /** Called with the commit that the base is about to be moved to. */
  readonly onBuilt?: (commit: string) => Promise<void>;
}

export type Merged =
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

async function mergeTip(git: Git, request: MergeRequest, tip: string): Promise<Merged> {
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

/**
 * Merges a session into its base. Uncommitted work is committed, the merge is made and tested in a scratch worktree,
 * and only then the base moves. After a refusal, the base, the branch, the index and all files are as before. Worktree
 * and branch remain; `discardSession` removes them, and keeps the commits that a squash leaves behind.
 */
export async function mergeSession(git: Git, request: MergeRequest): Promise<Merged> {
  const { repository, base, branch, worktree, message, hooks = true } = request;
  const sound = await inspectBase(git, repository, base, request);
  if (sound.kind === 'refused') return sound;
  if (worktree === null) {
    const tip = await commitOf(git, repository, `refs/heads/${branch}`);
    return tip === null ? refused('missing', `there is no branch ${branch} here`) : mergeTip(git, request, tip);
  }
  const own = message.trim() === '' ? `Work of ${branch}` : message;
  const work = await commitWork(git, worktree, branch, own, hooks);
  if (work.kind === 'refused') return work;
  let merged: Merged | null = null;
  try {
    merged = await mergeTip(git, request, work.commit);
    return merged;
  } finally {
    if (merged?.kind !== 'merged') await rollBackCommit(git, worktree, branch, work);
  }
}
