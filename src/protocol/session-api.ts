import type { RunId, SessionId } from './id.ts';
import type { Session, SessionJob } from './session.ts';

/** A request to create a session. */
export interface SessionOrder {
  readonly title: string;
  readonly job: SessionJob | null;
  /** Paths and globs that the session intends to change. */
  readonly plan: readonly string[];
  /** The branch to start from and merge into; null: the manifest's, or the main checkout's. */
  readonly base: string | null;
  /** An existing branch to work on instead of a new one. */
  readonly attach: string | null;
  readonly priority: number | null;
  readonly after: readonly SessionId[];
  /** True: the session waits to be submitted. */
  readonly isDraft: boolean;
}

/** The properties of a session that a person may change. */
export interface SessionChanges {
  readonly title?: string;
  readonly plan?: readonly string[];
  readonly priority?: number | null;
  readonly after?: readonly SessionId[];
  /** The branch to merge into from now on; a session that has not begun starts from it, too. */
  readonly base?: string;
}

export const MERGE_STRATEGIES = ['squash', 'merge', 'rebase'] as const;

export interface MergeChoices {
  readonly strategy: (typeof MERGE_STRATEGIES)[number];
  /** Null: made from the title. */
  readonly message: string | null;
  /**
   * Runs the project's tests on the merged files first. `when_base_moved`: only if a command `test` is known and the
   * base has commits that the session lacks; without such commits, the merged files equal those of the session.
   */
  readonly verify: boolean | 'when_base_moved';
}

export interface DiscardChoices {
  /** Discards even work that exists nowhere else; a recovery ref keeps it. */
  readonly force: boolean;
}

export interface UpdateChoices {
  /** Aborts an update whose conflicts are not resolved. */
  readonly abort: boolean;
  /**
   * Runs this job in the worktree if there are conflicts, and concludes the update once none is left; null leaves them
   * to a person.
   */
  readonly resolve?: Resolver | null;
}

/** The job that resolves conflicts; `manifest` is absolute. */
export type Resolver = Pick<SessionJob, 'start' | 'manifest'>;

export interface PushChoices {
  /** Opens a pull request as well, if the program of the forge (`gh`, `glab`) is installed. */
  readonly pr: boolean;
}

export interface HoldChoices {
  /** Removes the worktree as well, to free the disk. */
  readonly release: boolean;
}

/**
 * A session that is held on a branch, as shown to a person who decides whether it continues here. All texts come from
 * the branch.
 */
export interface ForeignSession {
  readonly branch: string;
  /** Full hash. Only this commit, which the person was asked about, is adopted, never a newer one. */
  readonly commit: string;
  /** The authors of its commits, as stated in them. */
  readonly authors: readonly string[];
  readonly title: string;
  /** True if this clone itself has held the session. */
  readonly isOwn: boolean;
  /** Files changed since the branch left the history of the current checkout; null: they have no common commit. */
  readonly files: readonly string[] | null;
  /** The changed files that are not in the session's plan. */
  readonly outside: readonly string[];
  /** The number of steps executed elsewhere. */
  readonly steps: number;
  /** Answers that were given elsewhere. They count here only if this clone itself has held the session. */
  readonly answers: readonly { readonly block: string; readonly verb: string }[];
  /** How the manifest that its run follows differs from the project's. */
  readonly differences: readonly string[];
  /** What the session would run, call or send. */
  readonly executables: readonly { readonly what: string; readonly command: string }[];
}

/** A run, and the step before which a fork of it begins. */
export interface StepOfRun {
  readonly run: RunId;
  readonly step: number;
}

/** The outcome of a request: done, or refused with the reason and nothing changed. */
export type Disposed =
  | { readonly ok: true; readonly session: Session; readonly notes: readonly string[] }
  | {
      readonly ok: false;
      readonly session: Session;
      readonly why: string;
      readonly files: readonly string[];
      /** The reason as a stable code of one word, such as `conflict`; missing if there is none. */
      readonly code?: string;
    };

/**
 * Requests on the sessions of a project, for the process that owns its engine. Throws a RoboSmithError: `usage`,
 * `wrong_state`, `refused`.
 */
export interface SessionApi {
  create(order: SessionOrder): Promise<Session>;
  change(session: SessionId, changes: SessionChanges): Promise<Session>;
  submit(session: SessionId): Promise<Session>;
  /**
   * Removes a session from the queue. If its worktree is being created, the creation is completed first; then the
   * worktree is removed.
   */
  withdraw(session: SessionId): Promise<Session>;
  merge(session: SessionId, choices: MergeChoices): Promise<Disposed>;
  /**
   * Updates from the base; concludes the update when called again after conflicts were resolved. With `resolve` it may
   * return before the resolver has ended: `moved` waits for it.
   */
  update(session: SessionId, choices: UpdateChoices): Promise<Disposed>;
  /** Pushes the branch; opens a pull request only with `choices`. */
  push(session: SessionId, choices?: PushChoices): Promise<Disposed>;
  hold(session: SessionId, choices: HoldChoices): Promise<Disposed>;
  resume(session: SessionId): Promise<Session>;
  /** Returns what a person has to know before `adopt`. */
  foreign(branch: string): Promise<ForeignSession>;
  /**
   * Adopts a session that was held elsewhere. Its state is on this branch, locally or on a remote. Afterwards the
   * session is held here. `commit` is the commit that a person has agreed to; the call is refused if the branch has
   * moved since.
   */
  adopt(branch: string, commit: string): Promise<Session>;
  /**
   * Creates a session that continues from a step of one of this session's runs, with the files of that step. The new
   * session is created when its turn in the queue comes, and then halts; the caller resumes its run.
   */
  fork(session: SessionId, from: StepOfRun): Promise<Session>;
  /** Starts another run in the worktree. `plan` is added to the change plan. */
  rerun(session: SessionId, job: SessionJob, plan?: readonly string[]): Promise<Session>;
  /**
   * Resolves once the session is neither a draft, queued nor being created, and, if it runs, has more runs than
   * `known`.
   */
  moved(session: SessionId, known: number): Promise<Session>;
  discard(session: SessionId, choices: DiscardChoices): Promise<Disposed>;
  restore(session: SessionId): Promise<Disposed>;
}
