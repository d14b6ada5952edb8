import type { RunId, SessionId } from './id.ts';
import type { Session, SessionJob } from './session.ts';

/** A request to create a session. */
export interface SessionOrder {
  readonly title: string;
  readonly job: SessionJob | null;
  /** Paths and globs that the session intends to change. */
  readonly plan: readonly string[];
  /**
   * The branch to start from and merge into; null: the branch that the manifest names, or else the one in the main
   * checkout.
   */
  readonly base: string | null;
  /** An existing branch to work on instead of a new one. */
  readonly attach: string | null;
  readonly priority: number | null;
  readonly after: readonly SessionId[];
  /** True: the session waits to be submitted. */
  readonly isDraft: boolean;
}

/** The properties of a session that a user may change. */
export interface SessionChanges {
  readonly title?: string;
  readonly plan?: readonly string[];
  readonly priority?: number | null;
  readonly after?: readonly SessionId[];
  /** The new branch to merge into. A session that has not begun also starts from it. */
  readonly base?: string;
}

export const MERGE_STRATEGIES = ['squash', 'merge', 'rebase'] as const;

export interface MergeChoices {
  readonly strategy: (typeof MERGE_STRATEGIES)[number];
  /** The commit message; null: generated from the title. */
  readonly message: string | null;
  /**
   * Runs the project's tests on the merged files before the merge. `when_base_moved`: only if a command `test` is known
   * and the base has commits that the session lacks; otherwise the merged files are equal to the session's.
   */
  readonly verify: boolean | 'when_base_moved';
  /** The tree of the work that the user has seen, as a full hash; other work is refused. Null or absent: any work. */
  readonly tree?: string | null;
}

export interface DiscardChoices {
  /** Discards the work even if it exists nowhere else. A recovery ref keeps it. */
  readonly force: boolean;
}

export interface UpdateChoices {
  /** Aborts an update whose conflicts are not resolved. */
  readonly abort: boolean;
  /**
   * The job that runs in the worktree if there are conflicts. The update is concluded once no conflict is left. Null
   * leaves the conflicts to a person.
   */
  readonly resolve?: Resolver | null;
}

/** The job that resolves conflicts. `manifest` is an absolute path. */
export type Resolver = Pick<SessionJob, 'start' | 'manifest'>;

export interface PushChoices {
  /** Opens a pull request as well, if the program of the forge (`gh`, `glab`) is installed. */
  readonly pr: boolean;
}

export interface HoldChoices {
  /** Removes the worktree as well, to free the disk. */
  readonly release: boolean;
}

/** What a person must know about a commit from elsewhere before it is worked on. */
export interface ForeignCommit {
  readonly branch: string;
  /** The full hash of the commit that the user is asked about. The answer holds for this commit only. */
  readonly commit: string;
  /** The commit at which the branch left the history of the current checkout; null: they have no common commit. */
  readonly base: string | null;
  /** The authors as the commits state them. */
  readonly authors: readonly string[];
  /** Files changed since `base`; null: unknown. */
  readonly files: readonly string[] | null;
  /** Those of `files` that a command names, or that configure agents and other programs. */
  readonly first: readonly string[];
  /** What would be run or called, or where data would be sent. */
  readonly executables: readonly { readonly what: string; readonly command: string }[];
}

/**
 * A session that was held on a branch, possibly in another clone. It is shown to the user, who decides whether to
 * continue it here. All texts come from the branch and are untrusted.
 */
export interface ForeignSession extends ForeignCommit {
  readonly title: string;
  /** True if this clone itself has held the session, with the same files. */
  readonly isOwn: boolean;
  /** The number of steps executed in another clone. */
  readonly steps: number;
  /**
   * Answers to halts that were given in another clone. They are accepted here only if this clone itself has held the
   * session.
   */
  readonly answers: readonly { readonly block: string; readonly verb: string }[];
  /** The differences between the manifest that the session's run executes and the project's manifest. */
  readonly differences: readonly string[];
}

/** A run, and the step before which a fork of it begins. */
export interface StepOfRun {
  readonly run: RunId;
  readonly step: number;
}

/** The outcome of a request: either done, or refused with a reason and without any change. */
export type DispositionResult =
  | { readonly ok: true; readonly session: Session; readonly notes: readonly string[] }
  | {
      readonly ok: false;
      readonly session: Session;
      readonly why: string;
      readonly files: readonly string[];
      /** A stable code for the reason, such as `conflict`; absent if there is none. */
      readonly code?: string;
    };

/**
 * The operations on the sessions of a project, for the process that owns its engine. Throws a RoboSmithError: `usage`,
 * `wrong_state`, `refused`.
 */
export interface SessionApi {
  create(order: SessionOrder): Promise<Session>;
  change(session: SessionId, changes: SessionChanges): Promise<Session>;
  submit(session: SessionId): Promise<Session>;
  /**
   * Removes a session from the queue. If its worktree is being created, waits until it is created and then removes it.
   */
  withdraw(session: SessionId): Promise<Session>;
  merge(session: SessionId, choices: MergeChoices): Promise<DispositionResult>;
  /**
   * Merges the base into the session's branch. If conflicts were resolved after an earlier call, concludes that update.
   * With `resolve` it may return before the resolver has ended; `moved` waits for it.
   */
  update(session: SessionId, choices: UpdateChoices): Promise<DispositionResult>;
  /** Pushes the branch; opens a pull request only with `choices`. */
  push(session: SessionId, choices?: PushChoices): Promise<DispositionResult>;
  hold(session: SessionId, choices: HoldChoices): Promise<DispositionResult>;
  resume(session: SessionId): Promise<Session>;
  /** Returns the data that a user must see before `adopt`. */
  foreign(branch: string): Promise<ForeignSession>;
  /**
   * Adopts a session that was held in another clone and whose state is on this branch, locally or on a remote.
   * Afterwards the session is held here. `commit` is the commit that the user has agreed to; the call is refused if the
   * branch has moved since.
   */
  adopt(branch: string, commit: string): Promise<Session>;
  /**
   * Creates a session that continues from a step of one of this session's runs, with the files of that step. The new
   * session waits in the queue, is created when its turn comes, and then halts. The caller resumes its run.
   */
  fork(session: SessionId, from: StepOfRun): Promise<Session>;
  /** Starts another run in the worktree. `plan` is added to the change plan. */
  rerun(session: SessionId, job: SessionJob, plan?: readonly string[]): Promise<Session>;
  /**
   * Resolves once the session is neither a draft, queued nor being created, and, if it runs, has more runs than
   * `known`.
   */
  moved(session: SessionId, known: number): Promise<Session>;
  discard(session: SessionId, choices: DiscardChoices): Promise<DispositionResult>;
  restore(session: SessionId): Promise<DispositionResult>;
}
