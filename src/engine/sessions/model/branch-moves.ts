import type { Session, SessionState } from '#protocol/session.ts';

/** Records which branches the engine itself moves, so that this is not taken for the work of a block. */
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

/** The branches that an operation on a session may move. */
export const branchesOf = ({ branch, baseBranch }: Pick<Session, 'branch' | 'baseBranch'>): readonly string[] => [
  branch,
  baseBranch,
];

/** States in which a session has a branch that only its own runs and its own worktree move. */
const SETTLED: ReadonlySet<SessionState> = new Set(['running', 'halted', 'ready', 'held', 'failed'] as const);

/** Returns the branches that blocks of other sessions must not move. */
export const guardedBranches = (sessions: readonly Session[]): readonly string[] =>
  sessions.filter(({ state, base }) => SETTLED.has(state) && base !== null).flatMap(branchesOf);
