import type { RunId, SessionId } from './id.ts';
import type { Session, SessionJob } from './session.ts';

/** What a person asks for. */
export interface SessionOrder {
  readonly title: string;
  readonly job: SessionJob | null;
  /** Paths and globs that it means to modify. */
  readonly plan: readonly string[];
  /** The branch to start from and to be merged into; null: what the manifest, or the main checkout, says. */
  readonly base: string | null;
  /** A branch that is there, to work on instead of a new one. */
  readonly attach: string | null;
  readonly priority: number | null;
  readonly after: readonly SessionId[];
  /** It waits to be submitted. */
  readonly isDraft: boolean;
}

/** What of a session a person may change. */
export interface SessionChanges {
  readonly title?: string;
  readonly plan?: readonly string[];
  readonly priority?: number | null;
  readonly after?: readonly SessionId[];
  /** The branch to be merged into from now on; what has not begun starts from it, too. */
  readonly base?: string;
}

export const MERGE_STRATEGIES = ['squash', 'merge', 'rebase'] as const;

export interface MergeChoices {
  readonly strategy: (typeof MERGE_STRATEGIES)[number];
  /** Null: made of the title. */
  readonly message: string | null;
  /** Runs the project's tests on the merged tree first. */
  readonly verify: boolean;
}

export interface DiscardChoices {
  /** Also when its work is nowhere else; a recovery ref keeps it. */
  readonly force: boolean;
}

export interface UpdateChoices {
  /** Goes back to before an update whose conflicts are not resolved. */
  readonly abort: boolean;
  /** Runs this in its worktree when something is in conflict, and concludes the update when nothing is any more; else a person resolves. */
  readonly resolve?: Resolver | null;
}

/** Whoever resolves conflicts; `manifest` is absolute. */
export type Resolver = Pick<SessionJob, 'start' | 'manifest'>;

export interface PushChoices {
  /** Also opens a pull request, where a program of its forge is there: `gh`, `glab`. */
  readonly pr: boolean;
}

export interface HoldChoices {
  /** Also removes the worktree, to free the disk. */
  readonly release: boolean;
}

/** Before which of its steps a run begins anew. */
export interface StepOfRun {
  readonly run: RunId;
  readonly step: number;
}

/** What was asked for has come about; or nothing has changed, and it says why. */
export type Disposed =
  | { readonly ok: true; readonly session: Session; readonly notes: readonly string[] }
  | { readonly ok: false; readonly session: Session; readonly why: string; readonly files: readonly string[] };

/** What can be asked of the sessions of a project, by whoever owns its engine. Throws a RoboSmithError: `usage`, `wrong_state`, `refused`. */
export interface SessionApi {
  create(order: SessionOrder): Promise<Session>;
  change(session: SessionId, changes: SessionChanges): Promise<Session>;
  submit(session: SessionId): Promise<Session>;
  /** Out of the queue. Where its worktree is being made, that ends first, and what was made goes. */
  withdraw(session: SessionId): Promise<Session>;
  merge(session: SessionId, choices: MergeChoices): Promise<Disposed>;
  /** Called again when conflicts were resolved, it concludes them. With `resolve` it may come back before that has ended: `moved` waits. */
  update(session: SessionId, choices: UpdateChoices): Promise<Disposed>;
  /** Without choices it opens no pull request. */
  push(session: SessionId, choices?: PushChoices): Promise<Disposed>;
  hold(session: SessionId, choices: HoldChoices): Promise<Disposed>;
  resume(session: SessionId): Promise<Session>;
  /** Takes up a session that was held elsewhere: its state is on this branch, here or on a remote. It is held here, then. */
  adopt(branch: string): Promise<Session>;
  /**
   * A new session that goes on from a step of one of its runs, with the files of that step. It is made when its turn comes, and
   * is halted then: whoever has forked it goes on with its run.
   */
  fork(session: SessionId, from: StepOfRun): Promise<Session>;
  /** Another run in its worktree; `plan`: what it means to change beside what is planned. */
  rerun(session: SessionId, job: SessionJob, plan?: readonly string[]): Promise<Session>;
  /** When it is neither a draft nor waits for its turn, nor is being made; at once where it is so now. Running, with more runs than `known`. */
  moved(session: SessionId, known: number): Promise<Session>;
  discard(session: SessionId, choices: DiscardChoices): Promise<Disposed>;
  restore(session: SessionId): Promise<Disposed>;
}
