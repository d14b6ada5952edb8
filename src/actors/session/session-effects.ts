import type { Session, SessionBase } from '#protocol/session.ts';
import type { DiscardChoices, MergeChoices } from '#protocol/session-api.ts';

/** A worktree that stands and is ready to run. */
export interface Created {
  readonly base: SessionBase;
  readonly worktree: string | null;
  readonly ports: Session['ports'];
}

export interface Refused {
  readonly ok: false;
  /** For people: what was found, and the next step. */
  readonly why: string;
  readonly files?: readonly string[] | undefined;
}

/** It is done; `notes` for people: where it is, what is still there. */
export interface Ended {
  readonly ok: true;
  readonly notes: readonly string[];
}

/** What the manager has done by others. A rejection is a refusal with its message. */
export interface SessionEffects {
  /** Makes the worktree stand, also a second time; a failure leaves nothing, and so does one that is stopped. */
  create(session: Session, signal: AbortSignal): Promise<({ readonly ok: true } & Created) | Refused>;
  /** Begins its run, or goes on with it; how it goes is told as `run.*`. Throws when there is none. */
  begin(session: Session): Promise<void>;
  /** Its newest run is in this process's hands. */
  isUnderWay(session: Session): boolean;
  /** A run of it that waits is out of this process's hands; nothing of it is lost. */
  letGo(session: Session): void;
  /** Brings in what its resolver has resolved; null: that has not ended well. */
  conclude(session: Session): Promise<Ended | Refused | null>;
  merge(session: Session, choices: MergeChoices): Promise<Ended | Refused>;
  /** After a crash: is its work on the base? */
  isMerged(session: Session): Promise<boolean>;
  discard(session: Session, choices: DiscardChoices): Promise<Ended | Refused>;
  /** After a crash: what is kept already goes, what is not stays. */
  goOnDiscarding(session: Session): Promise<Ended | Refused>;
}
