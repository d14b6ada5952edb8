import type { Approvals } from './approvals.ts';
import type { Integer, Milliseconds } from './count.ts';
import type { RunId, SessionId } from './id.ts';
import type { ScriptedAnswer } from './script.ts';
import type { Start } from './run.ts';
import type { PairSemantics } from './semantic-clash.ts';

/** The states of a session. */
export const SESSION_STATES = [
  ...['draft', 'queued', 'creating', 'running', 'halted', 'ready', 'merging', 'merged'],
  ...['updating', 'holding', 'held', 'discarding', 'discarded', 'failed'],
] as const;

export type SessionState = (typeof SESSION_STATES)[number];

/** Returns whether a session is merged or discarded: it takes no other run, and its changes are no longer its own. */
export const hasEnded = ({ state }: { readonly state: SessionState }): boolean =>
  state === 'merged' || state === 'discarded';

/** The commit that a session's branch started from. */
export interface SessionBase {
  /** The branch's name without `refs/heads/`. */
  readonly branch: string;
  /** Full hash. */
  readonly commit: string;
}

/** The workflow that a session runs in its worktree. In a session without a job, a person does the work. */
export interface SessionJob {
  readonly start: Start;
  /** Absolute. */
  readonly manifest: string;
  readonly input: string | null;
  /** The absolute path of answers for scripted blocks. */
  readonly script: string | null;
  /** Answers to halts, given before they occur. Each is used once, by the first halt of its block. */
  readonly answers?: readonly ScriptedAnswer[];
  /** Halts before every block. */
  readonly stepMode: boolean;
  /** The most that agents may do without approval, whatever the manifest allows. */
  readonly approvals?: Approvals;
}

/** The conflicts of an update that a separate run has to resolve. This run is not part of the session's own job. */
export interface Resolving {
  readonly start: Start;
  /** Absolute. */
  readonly manifest: string;
  /** The commit that is being merged in: a full hash. */
  readonly base: string;
  /** All files that were in conflict. */
  readonly files: readonly string[];
  /** The number of runs before the resolver started. Any later run is the resolver's. */
  readonly known: number;
  /** The state that the session returns to once no conflict is left, with its reason. */
  readonly stood: 'ready' | 'halted' | 'failed';
  readonly why: string | null;
}

/** An update from the base that left conflicts and was neither concluded nor aborted. */
export interface OpenUpdate {
  /** The commit that is merged in: a full hash. */
  readonly base: string;
  /** The session's commit before the update: a full hash. */
  readonly before: string;
  /** All files that were in conflict, also those that were staged or committed since. */
  readonly files: readonly string[];
}

/**
 * One task in one branch and worktree, as stored in `.flow/sessions.json`. Times are in milliseconds since the epoch.
 */
export interface Session {
  readonly id: SessionId;
  readonly title: string;
  /** `robosmith/<slug>-<short id>`, or the branch that was attached; without `refs/heads/`. */
  readonly branch: string;
  /** True if the branch existed before the session, and outlives it. */
  readonly isAttached: boolean;
  /**
   * The commit that the branch started from. Null until the session is created: it starts from the base's newest commit
   * at that time.
   */
  readonly base: SessionBase | null;
  /** The branch that it starts from and is merged into. */
  readonly baseBranch: string;
  /** Absolute; null without one. */
  readonly worktree: string | null;
  /** True if another program or a person made the worktree before the session, so that no outcome removes it. */
  readonly isWorktreeKept: boolean;
  /** Remarks from the creation of the worktree, such as files that were not linked. */
  readonly remarks: readonly string[];
  /** Files that it intends to change: paths or globs from the top of the repository, with `/`. The list may grow. */
  readonly plan: readonly string[];
  /** Files that it has changed since its base. */
  readonly changed: readonly string[];
  readonly job: SessionJob | null;
  readonly runs: readonly RunId[];
  /** True once a run has completed the session's job. Resuming the session then runs nothing. */
  readonly isDone: boolean;
  /** The conflicts that a run has to resolve; null if there are none. */
  readonly resolving: Resolving | null;
  readonly state: SessionState;
  /** The state to return to if the current operation is refused. Meaningless in states without an operation. */
  readonly before: SessionState;
  /** The reason of a failure, halt or refusal, in words. */
  readonly why: string | null;
  /** Set if an update left conflicts that a person has to resolve; it holds the former reason. Null otherwise. */
  readonly unmerged: { readonly why: string | null } | null;
  /** Null: no update is open. */
  readonly update: OpenUpdate | null;
  /**
   * The evidence with which a landing sent the session back: places and test output. The next request to its agent
   * contains it. Null or absent: no landing sent it back, or that request has been made.
   */
  readonly returned?: string | null;
  /** The base's commits before and after the merge, as full hashes; absent if they are not recorded. */
  readonly merged?: { readonly from: string; readonly commit: string };
  /** The priority in the queue: 1 is the highest, null the lowest. */
  readonly priority: Integer | null;
  /** The session's place in the order of submissions; null for a draft. */
  readonly submission: Integer | null;
  /** Sessions that must be merged before it starts. */
  readonly after: readonly SessionId[];
  /** The range of network ports reserved for the session. */
  readonly ports: { readonly first: Integer; readonly count: Integer } | null;
  readonly createdAt: Milliseconds;
  readonly updatedAt: Milliseconds;
}

/** Whether a session's changes overlap with those of others. */
export type Overlap = 'Clear' | 'Clash' | 'Clash (semantic)' | 'Unchecked';
export type QueueSignal = 'draft' | 'running' | 'queued' | 'held' | 'complete' | 'halted';

export interface SessionName {
  readonly id: SessionId;
  readonly title: string;
}

/** A conflict between two sessions in one file. */
interface ConflictText {
  readonly file: string;
  /** The line in the merged file, from 1. */
  readonly line: Integer;
  /** The text with git's conflict markers. */
  readonly text: string;
}

/** Two sessions whose work would conflict when merged. The second one may be the base, with the id `base`. */
export interface PairConflict {
  readonly sessions: readonly [SessionId, SessionId];
  readonly files: readonly string[];
  readonly hunks: readonly ConflictText[];
}

/** A session in relation to all others, for display. */
export interface SessionView {
  readonly session: Session;
  readonly overlap: Overlap;
  /** The sessions that plan or change the same files, with those files. */
  readonly clashes: readonly { readonly with: SessionName; readonly files: readonly string[] }[];
  /**
   * The sessions whose work would conflict with this session's work in a merge; null if no comparison was made. The base
   * branch has the id `base`.
   */
  readonly conflicts: readonly (Pick<PairConflict, 'files' | 'hunks'> & { readonly with: SessionName })[] | null;
  /**
   * The sessions whose work git would merge with this session's work without a conflict, but whose combined code would
   * probably be wrong. The base branch has the id `base`.
   */
  readonly semantics: readonly (Pick<PairSemantics, 'clashes'> & { readonly with: SessionName })[];
  readonly queue: QueueSignal;
  /** The session's place in the queue, such as `P:1` or `FIFO #2`; null if it is not queued. */
  readonly order: string | null;
  readonly waits: {
    readonly why: 'dependency' | 'clash' | 'slot';
    readonly for: readonly SessionName[];
  } | null;
}
