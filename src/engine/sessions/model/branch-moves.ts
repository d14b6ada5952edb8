import type { Git } from '#io/git/plumbing/git.ts';
import type { Session, SessionState } from '#protocol/session.ts';

/**
 * Records which branches, and which refs below `refs/robosmith/`, the engine itself moves, so that this is not taken for
 * the work of a block.
 */
export interface BranchMoves {
  /** Runs work of the engine that may create, move or delete these branches. */
  during<Value>(branches: readonly string[], work: () => Promise<Value>): Promise<Value>;
  moved(branch: string): void;
  /** Starts to record. The returned function ends that, and returns the branches that may have moved meanwhile. */
  record(): () => ReadonlySet<string>;
}

export function createBranchMoves(): BranchMoves {
  const inProgress = new Set<readonly string[]>();
  const records = new Set<Set<string>>();
  const note = (branches: readonly string[]): void => {
    for (const record of records) for (const branch of branches) record.add(branch);
  };
  return {
    during: async (branches, work) => {
      inProgress.add(branches);
      note(branches);
      try {
        return await work();
      } finally {
        inProgress.delete(branches);
      }
    },
    moved: (branch) => note([branch]),
    record: () => {
      const record = new Set([...inProgress].flat());
      records.add(record);
      return () => {
        records.delete(record);
        return record;
      };
    },
  };
}

const OWN_REF = /refs\/robosmith\/[^\s\0]+/g;

/** Returns a git that records which refs of the engine it moves. */
export const recordingGit =
  (git: Git, { during }: Pick<BranchMoves, 'during'>): Git =>
  (directory, args, options) => {
    if (!args.includes('update-ref')) return git(directory, args, options);
    const refs = [...args, options?.input ?? ''].join('\0').match(OWN_REF) ?? [];
    return during(refs, () => git(directory, args, options));
  };

/** Returns whether a ref below `refs/robosmith/` is named after one of the sessions, or after one of their runs. */
export function keepsFor(sessions: readonly Session[]): (ref: string) => boolean {
  const ids = new Set(sessions.flatMap(({ id, runs }): readonly string[] => [id, ...runs]));
  return (ref) => {
    const [refs, owner, , name = ''] = ref.split('/');
    return refs === 'refs' && owner === 'robosmith' && ids.has(name.split('-')[0] ?? '');
  };
}

/** The branches that an operation on a session may move. */
export const branchesOf = ({ branch, baseBranch }: Pick<Session, 'branch' | 'baseBranch'>): readonly string[] => [
  branch,
  baseBranch,
];

/** States in which a session has a branch to which only the session's own runs and its worktree add commits. */
const SETTLED: ReadonlySet<SessionState> = new Set(['running', 'halted', 'ready', 'held', 'failed'] as const);

/** Returns the branches that blocks of other sessions must not move. */
export const guardedBranches = (sessions: readonly Session[]): readonly string[] =>
  sessions.filter(({ state, base }) => SETTLED.has(state) && base !== null).flatMap(branchesOf);

/** Tracks the engine's own merges, during which the main checkout may change. */
export interface OwnMerges {
  during<Value>(merge: () => Promise<Value>): Promise<Value>;
  /** Returns a number that changes when a merge starts or ends; null during a merge. */
  epoch(): number | null;
}

export function createOwnMerges(): OwnMerges {
  let begun = 0;
  let ended = 0;
  return {
    during: async (merge) => {
      begun += 1;
      try {
        return await merge();
      } finally {
        ended += 1;
      }
    },
    epoch: () => (begun === ended ? ended : null),
  };
}
