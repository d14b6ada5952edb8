import type { Trespass } from '#protocol/agent.ts';
import type { Git, GitAnswer } from '../plumbing/git.ts';
import { checkouts } from '../plumbing/list-checkouts.ts';
import { commitOf, lastHead, lineOf, quietly } from '../plumbing/quiet-git.ts';
import type { GitFolders } from '../plumbing/git-folders.ts';
import { readHeadFile, readRefFiles } from '../plumbing/ref-files.ts';

/** Tracks the branches of a project's sessions and of their bases, and how the engine itself moves them. */
export interface GuardedBranches {
  /** Returns the names, without `refs/heads/`, of the branches of sessions that have not ended, and of their bases. */
  list(): readonly string[];
  /** Returns whether a ref below `refs/robosmith/` belongs to a session of this project. */
  keeps(ref: string): boolean;
  /**
   * Starts to record. The returned function returns the branches, and the full names of other refs, that the engine
   * itself may have moved since then.
   */
  record(): () => ReadonlySet<string>;
  /** Records that the engine has moved a branch. */
  moved(branch: string): void;
}

/** The guarded branches of a project without sessions: none. */
export const NO_BRANCHES: GuardedBranches = {
  list: () => [],
  keeps: () => false,
  record: () => () => new Set(),
  moved: () => undefined,
};

/** The commits of guarded branches before a block started, by the branch's name, and of other refs by their full name. */
export type KeptRefs = ReadonlyMap<string, string>;

export const HEADS = 'refs/heads/';

interface Tip {
  readonly commit: string;
  /** True if the ref names another ref instead of a commit. */
  readonly isSymbolic: boolean;
}

/** Returns the tips of the branches that exist; null if git fails. */
async function tipsOf(
  { git, root, common }: Pick<RefWatch, 'git' | 'root' | 'common'>,
  branches: readonly string[],
): Promise<ReadonlyMap<string, Tip> | null> {
  if (branches.length === 0) return new Map();
  const read = await readRefFiles(
    common,
    branches.map((branch) => HEADS + branch),
  );
  if (read !== null)
    return new Map([...read].map(([ref, commit]) => [ref.slice(HEADS.length), { commit, isSymbolic: false }]));
  const format = '--format=%(refname)%09%(objectname)%09%(symref)';
  const listed = await git(root, ['for-each-ref', format, ...branches.map((branch) => HEADS + branch)]);
  if (!listed.ok) return null;
  const found = new Map<string, Tip>();
  for (const line of listed.out.split('\n')) {
    const [ref = '', commit = '', symbolic = ''] = line.split('\t');
    if (ref.startsWith(HEADS)) found.set(ref.slice(HEADS.length), { commit, isSymbolic: symbolic !== '' });
  }
  return found;
}

/** Records the tips of guarded branches, except for the branch that is checked out in the block's own worktree. */
export async function keepRefs(
  git: Git,
  root: string,
  { own, common }: GitFolders,
  guarded: GuardedBranches,
): Promise<KeptRefs> {
  const list = new Set(guarded.list());
  if (list.size === 0) return new Map();
  const head = readHeadFile(own) ?? lineOf(await git(root, ['symbolic-ref', '--quiet', 'HEAD']));
  const branches = [...list].filter((branch) => HEADS + branch !== head);
  const tips = await tipsOf({ git, root, common }, branches);
  return new Map(
    [...(tips ?? [])].flatMap(([branch, { commit, isSymbolic }]) => (isSymbolic ? [] : [[branch, commit]])),
  );
}

/** Returns the folder in which each branch is checked out. */
async function holdersOf(git: Git, root: string): Promise<ReadonlyMap<string, string>> {
  const all = await checkouts(git, root);
  if ('kind' in all) return new Map();
  return new Map(
    all.flatMap(({ ref, path, isHere }) =>
      ref?.startsWith(HEADS) === true && isHere ? [[ref.slice(HEADS.length), path] as const] : [],
    ),
  );
}

/**
 * Returns whether a branch that is checked out nowhere was moved by a fetch from its remote, or by a merge of another
 * project's engine.
 */
async function isFetchedOrMerged(git: Git, root: string, branch: string, tip: string): Promise<boolean> {
  if ((await commitOf(git, root, `${branch}@{upstream}`)) === tip) return true;
  const why = await git(root, ['log', '--walk-reflogs', '--max-count=1', '--format=%gs', HEADS + branch, '--']);
  return why.ok && why.out.startsWith('robosmith: merge');
}

/**
 * Returns the commit to which a guarded branch must be reset, or null if its current tip is right. When a person or
 * another session's block moves a branch in the worktree that has it checked out, git records the move in the reflog of
 * that worktree's HEAD. A move that is missing in that reflog was made from another worktree, and must be undone.
 */
async function expectedTip(
  git: Git,
  root: string,
  { branch, before, now, holder }: { branch: string; before: string; now: Tip | null; holder: string | null },
): Promise<string | null> {
  if (now?.commit === before && !now.isSymbolic) return null;
  if (holder === null) {
    const isRight = now !== null && !now.isSymbolic && (await isFetchedOrMerged(git, root, branch, now.commit));
    return isRight ? null : before;
  }
  const noted = await lastHead(git, holder);
  // Without reflogs, a move by the block can't be distinguished from one by a person.
  if (noted === null) return now === null || now.isSymbolic ? before : null;
  return noted === now?.commit && !now.isSymbolic ? null : noted;
}

const setRef = (git: Git, root: string, branch: string, commit: string): Promise<GitAnswer> =>
  quietly(git, root, ['update-ref', '--no-deref', '-m', 'robosmith: put back', HEADS + branch, commit]);

export interface RefWatch {
  readonly git: Git;
  /** The absolute path of the block's worktree. */
  readonly root: string;
  /** The absolute path of the git folder that all worktrees share. */
  readonly common: string;
  readonly kept: KeptRefs;
  readonly guarded: GuardedBranches;
  /** Branches that the engine itself may have moved; null after a crash, when this is unknown. */
  readonly excused: ReadonlySet<string> | null;
}

/**
 * Restores guarded branches that a block has deleted or moved from outside of their worktrees. Commits that it made
 * stay in the object store. After a crash only deleted branches are restored.
 */
export async function endRefs({ git, root, common, kept, guarded, excused }: RefWatch): Promise<readonly Trespass[]> {
  if (kept.size === 0) return [];
  const still = new Set(guarded.list());
  const branches = [...kept.keys()].filter(
    (branch) => !branch.startsWith('refs/') && still.has(branch) && excused?.has(branch) !== true,
  );
  const tips = await tipsOf({ git, root, common }, branches);
  if (tips === null) return [];
  const changed = branches.filter((branch) => {
    const now = tips.get(branch);
    return now?.commit !== kept.get(branch) || now?.isSymbolic === true;
  });
  if (changed.length === 0) return [];
  const holders = await holdersOf(git, root);
  const trespasses: Trespass[] = [];
  for (const branch of changed) {
    const now = tips.get(branch) ?? null;
    if (excused === null && now !== null) continue;
    const found = { branch, before: kept.get(branch) ?? '', now, holder: holders.get(branch) ?? null };
    const commit = await expectedTip(git, root, found);
    if (commit === null) continue;
    const { ok } = await setRef(git, root, branch, commit);
    if (ok) guarded.moved(branch);
    trespasses.push({ path: `.git/${HEADS}${branch}`, what: now === null ? 'removed' : 'moved', restored: ok });
  }
  return trespasses;
}
