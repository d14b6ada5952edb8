import { messageOf } from '#protocol/message-of.ts';
import type { Session, SessionBase } from '#protocol/session.ts';
import type { DiscardChoices, MergeChoices } from '#protocol/session-api.ts';

/** A worktree that exists and is ready. */
export interface CreatedWorktree {
  readonly base: SessionBase;
  readonly worktree: string | null;
  readonly isWorktreeKept: boolean;
  readonly remarks: readonly string[];
  readonly ports: Session['ports'];
}

export interface SessionRefusal {
  readonly ok: false;
  /** The reason for the refusal, and the next step. */
  readonly why: string;
  readonly files?: readonly string[] | undefined;
  /** The reason as a stable code of one word, for suggestions of what to do next. */
  readonly code?: string | undefined;
}

export const refused = (thrown: unknown): SessionRefusal => ({ ok: false, why: messageOf(thrown) });

/** The result of a successful operation. `notes` state where the work is and what is left to do. */
export interface OperationDone {
  readonly ok: true;
  /** The base's commits before and after a merge; absent if nothing was merged. */
  readonly merged?: NonNullable<Session['merged']>;
  readonly notes: readonly string[];
}

/**
 * The operations with side effects that the session manager uses. If one of them rejects, this counts as a refusal with
 * the error's message.
 */
export interface SessionEffects {
  /** Creates the worktree; can be repeated. A failed or stopped creation leaves nothing behind. */
  create(session: Session, signal: AbortSignal): Promise<({ readonly ok: true } & CreatedWorktree) | SessionRefusal>;
  /** Begins or resumes the session's run, whose progress is reported as `run.*`. Throws if there is none. */
  begin(session: Session): Promise<void>;
  /** Returns whether this process executes the newest run of the session. */
  isInProgress(session: Session): boolean;
  /** Releases a waiting run of the session, which can be resumed later. */
  letGo(session: Session): void;
  /** Concludes an update after its resolver has ended; null if the resolver did not succeed. */
  conclude(session: Session): Promise<OperationDone | SessionRefusal | null>;
  merge(session: Session, choices: MergeChoices): Promise<OperationDone | SessionRefusal>;
  /** Returns whether the session's work was merged into its base, for recovery after a crash. */
  isMerged(session: Session): Promise<boolean>;
  discard(session: Session, choices: DiscardChoices): Promise<OperationDone | SessionRefusal>;
  /** Continues a discard after a crash: removes what the recovery ref already contains, and keeps the rest. */
  goOnDiscarding(session: Session): Promise<OperationDone | SessionRefusal>;
}
